import { isDoubtfulForeignName, isForeignSecretName } from "./redact-words.ts";

/** Kind of secret that a field, variable, flag or query parameter of this name holds; undefined when it holds none. */
export function secretKindOfName(name: string): string | undefined {
  if (isForeignSecretName(name)) return "password";
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const unnumbered = plain.replace(/\d{1,3}$/, "");
  if (unnumbered === "pw") return "password";
  if (plain === "jsessionid" || plain === "phpsessid") return "cookie";
  if (plain.length < 3 || harmlessNames.includes(plain)) return undefined;
  if (isHarmlessName(name, plain)) return undefined;
  if (/(?:^|[_.a-z-])(?:pass|pw)\d{0,3}$/i.test(name)) return "password";
  return secretNames.find(({ exact, inside, endings }) => {
    if (exact?.includes(plain) === true || inside?.some((word) => plain.includes(word)) === true) return true;
    return endings?.some((ending) => unnumbered.endsWith(ending)) === true;
  })?.kind;
}

/** "secret_encryption": a way of doing so, or the key. */
export function saysHowToEncrypt(name: string): boolean {
  return /secrets?[^a-z0-9]*encryption[^a-z0-9]*$/i.test(name);
}

function isHarmlessName(name: string, plain: string): boolean {
  if (saysHowToEncrypt(name)) return false;
  return harmlessEndings.some((ending) => plain.endsWith(ending)) || harmlessShape.test(name);
}

/**
 * Names that may hold a secret or something harmless: what stands behind them is hidden only where it looks like made by
 * chance. `^` begins a whole name.
 */
export function doubtfulKindOfName(name: string): string | undefined {
  if (isDoubtfulForeignName(name)) return "key";
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/\d{1,3}$/, "");
  return doubtful.test(plain) && !isPublic.test(plain) ? "secret" : undefined;
}

const doubtful = /(?:key|auth|salt|licen[cs]e)$|^(?:pat|bearer|seed|pepper|secretid|community|shared)$|tokenname$/;
const isPublic =
  /pub(?:lic)?key|cachekey|(?:partition|sort|row|primary|foreign|object|hot)key$|(?:cert|ca|commit|git|build)hash$/;

/** Names that speak of a secret without holding it: where it lies, how long it lives, the public hash of a certificate. */
const harmlessEndings = [
  ..."certhash certhashes endpoint expiration expires expireson expiry file path dir folder name names".split(" "),
  ..."namespace type ttl url uri id ids count length version policy ref refs usages groups enabled disabled".split(" "),
  ..."rotation lookup audience issuer seconds mode provider class verification authentication approval".split(" "),
  ..."policies duration renewable changed updated created lifetime requirements format encryption algorithm".split(" "),
  ..."stdin age lockpasswd volume cleaner controller reviewer lastset notfound pullsecrets bootstrapdatasecret".split(
    " ",
  ),
];
/** Modules of cloud-init and cloudbase-init, programs of systemd, the credential classes and commands of Azure and PowerShell. */
const harmlessShape =
  /^cloudinit\.config\.cc_\w+$|^cloudbaseinit\.plugins\.[\w.]+$|^(?:Get-|Default(?:Azure)?|ManagedIdentity|WorkloadIdentity|Azure(?:Developer)?Cli|Environment)Credential$|^systemd-(?:creds|cryptenroll|(?:tty-)?ask-password(?:-[a-z]{2,12})?)$/;
const harmlessNames = [
  "compass",
  "bypass",
  "existingsecret",
  "expiredauthenticationtoken",
  "automountserviceaccounttoken",
  "sshpwauth",
  "clientkey",
  "loadcredential",
  "loadcredentialencrypted",
  "importcredential",
  "tokenreview",
  "tokenreviews",
];

interface NamedKind {
  readonly kind: string;
  readonly exact?: readonly string[];
  readonly inside?: readonly string[];
  readonly endings?: readonly string[];
}

const keyOwners =
  "api access auth encryption signing master primary secondary subscription license activation function functions storage secret session workspace ssh host admin service etcd cert hostplugin shared routing instrumentation ws recovery";
const secretNames: readonly NamedKind[] = [
  { kind: "certificate-key", inside: ["certificatekey"] },
  { kind: "private-key", inside: ["privatekey", "clientkeydata", "rsaprivate", "dsaprivate", "ed25519private"] },
  {
    kind: "password",
    inside: ["password", "passwd", "passphrase", "passcode", "passwort", "bindpw", "keymaterial"],
    endings: ["pwd", "psk"],
    exact: ["dbpw"],
  },
  { kind: "connection-string", inside: ["connectionstring"], endings: ["connstr"] },
  { kind: "account-key", inside: ["accountkey", "sharedaccesskey", "sharedkey", "storagekey"] },
  { kind: "sas", exact: ["sig", "sas"], inside: ["sastoken", "saskey", "sharedaccesssignature"] },
  {
    kind: "token",
    inside: ["token"],
    endings: ["identityheader", "authtok", "otpseed", "otpkey", "mfaseed", "mfakey"],
    exact: ["devicecode", "codeverifier", "clientassertion", "otp", "totp", "bwsession", "pin"],
  },
  { kind: "secret", inside: ["secret"] },
  { kind: "key", endings: keyOwners.split(" ").map((owner) => `${owner}key`) },
  {
    kind: "credential",
    endings: ["credential", "credentials", "creds", "cookie"],
    exact: [
      "jsessionid",
      "phpsessid",
      "xamzsignature",
      "xgoogsignature",
      "oauth2bearer",
      "kennwort",
      "dockerconfigjson",
      "dockercfg",
      "xhoneycombteam",
      "xjfrogartapi",
    ],
  },
  { kind: "community", exact: ["rocommunity", "rwcommunity"], endings: ["snmpcommunity", "snmpcommunitystring"] },
  { kind: "basic-auth", endings: ["basicauth"] },
  { kind: "registry-auth", exact: ["auth", "registryauth", "xregistryauth"] },
  { kind: "user-data", endings: ["userdata", "customdata", "vendordata"] },
  { kind: "protected-settings", endings: ["protectedsettings"] },
];
