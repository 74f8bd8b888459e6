/** What a program says of a secret in place of it: "token: expired", "auth: failed". */
const states = [
  "absent anonymous available bound cached canceled cancelled changed compacted created deleted denied deprecated disabled done",
  "empty enabled error expired failed failing failure forbidden generated ignored ignoring incorrect inherited invalid loaded",
  "malformed mismatch missing never notfound ok pending projected ready refreshed refused rejected removed renewed required",
  "revoked rotated skipped started stopped succeeded success successful synced timeout trusted unauthorized unauthenticated",
  "unavailable unbound unchanged undefined unknown unset unsupported untrusted unused updated valid verified wrong",
]
  .join("|")
  .replaceAll(" ", "|");

/** How the errors of Go, Kubernetes, Linux and Windows begin. */
const beginnings = [
  // Two words at least: one alone could be the begin of a passphrase.
  String.raw`(?:not|never) (?:allowed|available|changed|created|equal|expires|found|implemented|installed|match|permitted|present|provided|ready|required|set|supported|valid|yet)`,
  String.raw`(?:file|key|header|secret|token|value) not (?:found|set)`,
  String.raw`no (?:answer|basic|credentials|data|file|input|key|matching|permission|response|route|secret|such|token|user|value)`,
  String.raw`(?:is|are|was|were|has|have|had|does|did|do|must|may|should|could|cannot|can|will) (?:not|be|no|already|expired|invalid|missing|required|empty|wrong|in)`,
  String.raw`(?:cannot|couldn't|can't|unable to|failed to|failure to|error) [a-z]{2,14}`,
  String.raw`the (?:account|client|file|key|password|provided|request|secret|server|specified|system|token|user|value)`,
  String.raw`(?:dial|read|write) (?:tcp|udp|unix)`,
  String.raw`(?:open|read|stat|lstat|mkdir|readlink|remove|write|chmod) \/`,
  String.raw`(?:Get|Post|Put|Patch|Head) "https?:`,
  String.raw`(?:secrets?|configmaps?|serviceaccounts?|nodes?|namespaces?|user) ["'][a-z0-9.:@-]{1,253}["'] `,
  String.raw`(?:unexpected )?status(?: code)?:? \d{3}`,
  String.raw`[45]\d\d (?:bad|unauthorized|forbidden|not|conflict|gone|too|internal|service|gateway)`,
  String.raw`context deadline|context canceled|connection|i\/o timeout|permission denied|operation not|rpc error: |x509: |tls: |EOF`,
  String.raw`(?:invalid|required|unsupported|duplicate) value:`,
  String.raw`password (?:unchanged|updated|changed|expired|expiry|not|query|is|has|was|must)`,
  String.raw`authentication token manipulation`,
  String.raw`unlocking the`,
  String.raw`\((?:line|user) `,
  String.raw`line \d{1,6}: `,
  String.raw`server message:`,
  // Terraform
  String.raw`(?:still )?(?:creat|destroy|modify|read|refresh)ing(?: state)?\.\.\.|(?:creation|destruction|modifications|read) complete`,
  String.raw`ran successfully|password for \w{1,32} (?:changed|set|unchanged)`,
].join("|");

const beginsWithState = new RegExp(String.raw`^(?:${states})(?=$|[,.;:!]?(?:\s|$)|[)\]}])`, "i");
/** A word is one as a whole: "EOF" says something, "EOFx" may be a password. */
const beginsAsError = new RegExp(String.raw`^(?:${beginnings})(?:(?<!\w)|(?![\w-]))`, "i");
const wholeState = new RegExp(String.raw`^(?:not (?:found|set|available)|${states})[.!]?$`, "i");

/** A longer value is hidden whatever it looks like, so no place of a line is looked at again for each name before it. */
export const longestPlain = 600;

/** A value that is a state as a whole: `"flannel-token-65mps": Failed`, `{"token":"expired"}`. */
export function isState(value: string): boolean {
  return wholeState.test(value);
}

/**
 * What stands behind a secret's name up to the end of its line, where it says what became of the secret and holds nothing that
 * could be one: "token: dial tcp 10.0.0.4:443: i/o timeout", "password: expired".
 */
export function isStatement(rest: string): boolean {
  const said = rest.slice(0, longestPlain).trim();
  return (beginsWithState.test(said) || beginsAsError.test(said)) && !mayQuoteSecret(said);
}

/** `Invalid value: "…"` of Kubernetes shows what it refused; so may every word of letters and digits, and every quoted one. */
function mayQuoteSecret(said: string): boolean {
  const unnamed = said
    // What Terraform made, by its path
    .replaceAll(/\[id=\/?[\w.-]{1,80}\/[\w./:-]{1,300}\]?/g, "")
    .replaceAll(addressed, "")
    .replaceAll(named, (name) => (hasSecret(name) ? name : ""))
    .replaceAll(hiddenAlready, "")
    .replaceAll(form, "")
    .replaceAll(/""|''/g, "");
  return /["'`][^"'`\s]/.test(unnamed) || hasSecret(unnamed);
}

function hasSecret(text: string): boolean {
  return text.split(/[\s"'`,;()]+/).some(looksSecret);
}

/** Addresses that were asked, with what quotes them. */
const addressed = /\b(?:Get|Post|Put|Patch|Head) \\{0,4}["']|\bhttps?:\/\/[^\s"'?@]{1,200}\\{0,4}["']?/g;

/** What stands in quotes and is hidden; and the expression that kubeadm's tokens have to match. */
const hiddenAlready = /\\{0,4}"<redacted:[a-z-]{1,20}>\\{0,4}"/g;
const form = /(?<=of the form )\\{0,4}"\\{1,8}A\([^"\n]{1,80}\\{1,8}z\\{0,4}"/g;

/** Quoted names of things in Kubernetes and of files: they are what the operator looks for. */
const named =
  /\b(?:[Ss]ecrets?|[Cc]onfigmaps?|[Ss]erviceaccounts?|[Nn]odes?|[Nn]amespaces?|[Uu]sers?|resource|group|volume|pod|provider|plugin|file|key)(?:: | )\\{0,4}["'][a-z0-9/*][a-z0-9.:@/_*-]{0,253}\\{0,4}["']/g;

/** Paths of systems; base64 may begin with a slash, too. */
const path = /^(?:\/[a-z][\w.-]*(?:\/|$)|\/$|[A-Z]:\\)/;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** What a sign-in by code asks for has six digits to eight, and base32 knows capitals alone. */
const code = /^(?:\d{6,8}|[A-Z2-7]{12,})$/;

function looksSecret(word: string): boolean {
  const bare = word.replace(/[.:!)\]}]{1,4}$/, "");
  if (bare.length < 6) return false;
  if (uuid.test(bare) || code.test(bare)) return true;
  if (path.test(bare) || /^\d{4}-\d\d-\d\dT[\d:.]{5,18}Z?$/.test(bare) || /^[\d.:[\]/-]+$/.test(bare)) return false;
  // A name in Kubernetes or of a host: small letters, digits, dots and dashes, with a dash or dot between words.
  if (/^[a-z][a-z0-9]*(?:[.:/-][a-z0-9]+)+$/.test(bare))
    return /[0-9a-f]{16}|\.[a-z0-9]{16}$|^[a-z0-9]+:(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]+$/.test(bare);
  return /\d/.test(bare) || /[!#$%&*+=@^~\\]/.test(bare) || /[a-z][A-Z].*[a-z][A-Z]/.test(bare);
}
