/** Kind of secret that a field, variable, flag or query parameter of this name holds; undefined when it holds none. */
export function secretKindOfName(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (plain.length < 3 || harmlessEnding.test(plain) || harmlessName.test(plain)) return undefined;
  const found = namedKinds.find(({ pattern }) => pattern.test(plain));
  if (found !== undefined) return found.kind;
  return /(?:^|[_.-])pass$/i.test(name) ? "password" : undefined;
}

/** Names that speak of a secret without holding it: where it lies, how long it lives, the public hash of a certificate. */
const harmlessEnding =
  /(?:certhash|certhashes|endpoint|expiration|expires|expireson|expiry|file|path|dir|folder|name|names|namespace|type|ttl|url|uri|id|ids|count|length|version|policy|ref|refs|usages|groups|enabled|disabled|rotation|lookup|audience|issuer|seconds|mode|provider|class|verification|authentication|approval|stdin|age|lockpasswd)$/;
const harmlessName =
  /^(?:automountserviceaccounttoken|sshpwauth|lockpasswd|clientkey|tokens?request|tokenreviews?|secrets?store.*|secretslist|kubernetesiosecret)$/;

const namedKinds: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: "certificate-key", pattern: /certificatekey/ },
  { kind: "private-key", pattern: /privatekey|clientkeydata|rsaprivate|ecdsaprivate|ed25519private|dsaprivate/ },
  { kind: "password", pattern: /password|passwd|passphrase|pwd$/ },
  { kind: "connection-string", pattern: /connectionstring|connstr$/ },
  { kind: "account-key", pattern: /accountkey|sharedaccesskey|sharedkey|storagekey|storageaccountkey/ },
  { kind: "sas", pattern: /sastoken|saskey|sharedaccesssignature|^sig$|^sas$|sasurl$/ },
  { kind: "token", pattern: /token/ },
  { kind: "secret", pattern: /secret/ },
  {
    kind: "key",
    pattern:
      /(?:api|access|auth|encryption|signing|master|primary|secondary|subscription|license|function|session|workspace|ssh|host|admin|service)key\d*$/,
  },
  { kind: "credential", pattern: /credentials?$|^cookie$|setcookie$|^xamzsignature$|^xgoogsignature$/ },
  { kind: "registry-auth", pattern: /^_?auth$|^registryauth$|^xregistryauth$/ },
  { kind: "user-data", pattern: /userdata$|customdata$|vendordata$/ },
  { kind: "protected-settings", pattern: /protectedsettings$/ },
];
