import { looksMade } from "./looks-made.ts";
import { saysHowToEncrypt } from "./redact-names.ts";
import { isState, longestPlain } from "./redact-statements.ts";

/** "signing-key: sa.pub" */
const fileName = /^[a-z][a-z-]{1,40}\.(?:pub|pem|key|crt|csr|pfx)$/;

/** How Secrets are encrypted: k3s's command and states, Kubernetes' providers. */
const wayToEncrypt =
  /^(?:aes(?:cbc|gcm)|secretbox|identity|kms(?:v[12])?|XSalsa20-POLY1305|AES-(?:CBC|GCM)|prepare|rotate|rotate-keys|reencrypt(?:_\w{2,10})?|start|stop|supported)$/i;

/** Where accounts are looked up (nsswitch.conf), and a kind of token that etcd makes. */
const sourcesOfAccounts =
  /^(?:(?:files|compat|db|sss|systemd|ldap|winbind|nis|nisplus|altfiles|extrausers)(?:\s{1,20}(?!$)|$)){1,8}$/;
const plainOfName: Readonly<Record<string, RegExp>> = { passwd: sourcesOfAccounts, "auth-token": /^simple$/ };

/** The same of what stands under this name: behind one that may say how Secrets are encrypted, also the ways to do so. */
export function isPlainUnder(name: string, value: string): boolean {
  if (isPlain(value)) return true;
  if (value.length > longestPlain) return false;
  if (saysHowToEncrypt(name)) return value.split(",").every((way) => wayToEncrypt.test(way.trim()));
  return plainOfName[name]?.test(value.trim()) === true;
}

/** Nothing, an object by its name, or what is hidden already. */
function isNothing(text: string): boolean {
  return (
    text.length === 0 || /^\{["']?name["']?:/.test(text) || /^\[?<redacted:[a-z0-9-]+>(?:\\{1,4}[nr]){0,4}$/.test(text)
  );
}

/** Values that cannot be a secret: nothing, a switch, a small number, a variable's name, a path, a state, what is hidden already. */
export function isPlain(value: string): boolean {
  if (value.length > longestPlain) return false;
  const text = value.trim();
  if (isNothing(text)) return true;
  if (
    isState(text) ||
    /^\(?(?:New-Object|Get-Credential)\)?$/.test(text) ||
    fileName.test(text) ||
    /^, \w{1,64}:/.test(text)
  )
    return true;
  if (
    /^(?:true|false|yes|no|y|n|on|off|null|nil|none|msi|valueFrom|\d{1,4}|\d{1,7} bytes|[|>][+-]?\d?|[{}[\]()*.,-]+|<[a-z _-]+>|x{3,})$/i.test(
      text,
    )
  )
    return true;
  // What is filled in, or shown by nobody: {{ lookup('env', 'X') }}, $(cat /run/x), (sensitive value)
  if (
    /^(?:\{\{[^{}]*\}\}|\$\((?:cat|az|aws|gcloud|kubectl|kubeadm|jq|yq|head|tail|grep|awk|sed|base64|openssl rand|pwgen|uuidgen)\b[^()]*\)?|\([a-z]{2,20}\)?)$/.test(
      text,
    )
  )
    return !text.split(/[\s"'=:(){}]+/).some(looksMade);
  if (/^\$(?:\{[A-Z_]{2,64}\}?|[A-Z_]{3,64})$/.test(text)) return true;
  return /^(?:\/(?:etc|var|opt|usr|run|home|root|tmp|mnt|proc|dev|sys)\/|[A-Za-z]:\\)/.test(text);
}
