import { commandPatterns, toPatterns } from "./redact-commands.ts";

/**
 * Ordered: the more exact shape first. Every pattern starts at a literal or at a boundary and has bounded or
 * non-overlapping repeats, so one pass over a line is linear in its length.
 */
export const secretPatterns = toPatterns([
  ["jwt", /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}/g],
  // RKE2 and k3s "secure" token: K10<CA hash>::<user>:<secret>
  ["cluster-token", /\b(K10[0-9a-f]{64}::)[\w-]{1,64}:[^\s"'\\,;]+/g],
  ["cluster-token", /\b(K10[0-9a-f]{64}::)[^\s"'\\,;:<]+/g],
  // MicroK8s join address: <address>:25000/<token>[/<fingerprint>]
  ["join-token", /(:25000\/)[\da-z]{16,}/gi],
  ["join-token", /(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w-]|\.\w)/g],
  // kubeadm prints the certificate key alone on its line, under "Using certificate key:".
  ["certificate-key", /^((?:.{0,200}[\]>]:? )?\s{0,40})[0-9a-f]{64}(?=\s{0,8}$)/g],
  ["github-token", /\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|glpat-[\w-]{20,})/g],
  [
    "api-token",
    /(?<![\w.-])(?:hv[sbr]\.[\w-]{20,}|xox[abeoprs]-[\w-]{10,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{20,}|(?:dckr_[po]at|glsa|glc|sntry[su]|whsec|lin_api|bkua|pscale_(?:pw|tkn|oauth)|rubygems|shp(?:at|ss|ca)|xkeysib|npg|nfp)[_-][\w+/=-]{20,}|dop_v1_[0-9a-f]{40,}|SG\.[\w-]{16,}\.[\w-]{16,}|sk-[\w-]{20,}|AIza[\w-]{35}|ya29\.[\w-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}|s\.[A-Za-z0-9]{24}(?![\w.])|ATATT3[\w=-]{20,}|tskey-\w{1,20}-[\w-]{10,})/g,
  ],
  // Of clouds, models and build services: a word that only they begin a token with, and what chance made behind it.
  [
    "api-token",
    /(?<![\w.-])(?:(?:hf|gsk|r8|ntn|secret|nfp|npg|sb[pv]|sq[apu]|figd|glsa|glc|sntry[su]|whsec|dckr_oat|lin_api|bkua|pscale_(?:pw|tkn|oauth)|CCIPAT|at|rubygems|shp(?:at|ss|ca)|fo1|rnd|tfp|wakatime|EAAC|xkeysib)[_-](?=[\w+/=-]{0,96}\d)[\w+/=-]{12,}|(?:GOCSPX|NR(?:AK|II|AA|JS)|PMAK|HRKU)-[\w-]{24,}|(?:pplx|nvapi|xapp|SWMTKN|SWMKEY|key|pul|ops|API)-(?=[\w-]{0,96}\d)(?=[\w-]{0,96}[A-Za-z])[\w-]{24,}|(?:LTAI|AKID|ATBB)[A-Za-z0-9]{16,}|(?:GR1348941|ATCTT3)[\w-]{16,}|(?:AKCp\w|dapi|EAA[A-Z]|cio|cmVmdGtuOj)(?=[\w-]{0,64}\d)[\w-]{16,}|dt0[cs]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}|dp\.[a-z]{2,5}\.(?:[\w-]{1,32}\.)?\w{40,}|st\.[0-9a-f]{24}\.[0-9a-f.]{32,}|pat\w{14}\.[0-9a-f]{64}|\w{14}\.atlasv1\.[\w-]{60,}|[0-9a-f]{32}-us\d{1,2}\b|(?:ops_)?eyJ[\w-]{60,}={0,2}(?![\w.-])|00D[A-Za-z0-9]{9,15}![\w.]{60,})/g,
  ],
  [
    "secret-key",
    /((?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}["']?[:/,;|\s]{1,4}["']?(?:\d{4}-\d\d-\d\dT[\d:+Z.-]{8,22}\s)?)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])/g,
  ],
  ["access-key-id", /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  // Fields of a JSON Web Key that only the private one has.
  ["private-key", /("(?:[dkpq]|dp|dq|qi)"\s{0,4}:\s{0,4}")[\w-]{20,}/g],
  ["client-secret", /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/g],
  ["account-key", /(?<![A-Z0-9+/])[A-Z0-9+/]{86}==/gi],
  ["password-hash", /\$(?:[1567y]|2[abxy]|gy|apr1|argon2\w{1,2})\$[\w./$=,+-]{8,}/g],
  // Of Python's frameworks, PostgreSQL, MySQL and Windows.
  [
    "password-hash",
    /(?<![\w-])(?:(?:scrypt|pbkdf2|SCRAM-SHA)[\w:-]{0,32}\$[\w+/:=.-]{1,64}\$[\w+/=:.$-]{16,}|md5[0-9a-f]{32}\b|(?<!\S)\*[0-9A-F]{40}\b|[0-9a-f]{32}:[0-9a-f]{32}(?=:::|\s|$))/g,
  ],
  [
    "ssh-key",
    /((?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-[\w-]{1,40}@openssh\.com)\s)AAAA[\w+/]{16,}={0,2}/g,
  ],
  // URL user information. A password may hold "@", "/" or ":"; a port or an image digest is not one.
  ["userinfo", /(:\/\/)[^\s/@:"'<>?#\\]{0,256}:(?!\d{1,5}(?:[/"'\s\\]|$))[^\s"'<>\\]{1,512}(?=@(?!sha\d{3}:)[\w[])/g],
  ["userinfo", /(:\/\/)(?!git@)[^\s/@:"'<>?\\]{1,512}(?=@(?!sha\d{3}:)[\w[])/g],
  ["sas", /((?<![A-Z])(?:u0026|%26)?sig(?:=|%3D))[^\s&"'<>\\;,]+/gi],
  // Function keys and signed links: a long value of a query parameter with a name too common to hide elsewhere.
  ["query-secret", /([?&](?:code|key|signature|policy|auth|ticket|state)=)[\w%.~+/=-]{16,}/gi],
  [
    "authorization",
    /((?<![A-Z])authorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}(?:\[\s{0,4})?\\{0,3}["']?(?:(?:basic|bearer|digest|negotiate|ntlm|sharedkey|sharedkeylite|token|[a-z][\w-]{1,24}(?=\s{1,4}\S{0,64}\d))\s{1,4})?)(?!basic\b|bearer\b|[a-z][\w-]{1,24}\s{1,4}<redacted:|(?:server message|the client|Node,(?:RBAC|ABAC|Webhook)|failed|header|denied|unauthorized|forbidden|disabled|missing|required|invalid|error|unknown|not)(?![^\s.,;:!]))[^\s"'\\,<[\]][^\s"'\\,<\]]*/gi,
  ],
  ["bearer-token", /(\bbearer\s{1,4})[\w.~+/=-]{20,}/gi],
  ["basic-auth", /(\bbasic\s{1,4})[A-Z0-9+/]{12,}={0,2}(?![\w.-])/gi],
  ...commandPatterns,
  // cloud-init prints the head of user data that it cannot parse ("Unhandled non-multipart (…) userdata: 'b'…").
  ["user-data", /((?<![A-Z])(?:user|custom|vendor)[-_ ]?data:\s{1,4})(?=b?["']).+/gi],
  ["base64", /(?<![A-Za-z0-9+/])(?:H4sI|LS0tLS1CRUdJTi)[A-Za-z0-9+/]{20,}={0,2}/g],
  ["base64", /(?<![A-Z0-9+/])[A-Z0-9+/]{120}[\w+/-]*={0,2}/gi],
  // A line of nothing but base64: the middle of a key or of user data whose head was cut off.
  [
    "base64",
    /^((?:.{0,200}(?:[\]>]:|[|>]) )?\s{0,40})(?![0-9a-f]{40}\b|[0-9a-f]{64}\b|\/(?:bin|boot|dev|etc|home|lib|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)\/)[A-Za-z0-9+/]{40,}={0,2}(?=\s{0,8}\|?\s{0,8}$)/g,
  ],
]);
