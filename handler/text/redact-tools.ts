import type { SecretPattern } from "./redact-commands.ts";

/** Secrets of tools for archives, directories, databases, certificates and chats, by the words around them. */
export const toolPatterns: readonly SecretPattern[] = [
  {
    kind: "secret",
    pattern: /(\baz\s{1,4}keyvault\s{1,4}secret\s{1,4}set\b[^|;\n]{0,400}?\s--value[\s=]\s{0,4}["']?)[^\s"'<][^\s"']*/g,
  },
  {
    kind: "password",
    pattern: /(\bopenssl\s{1,4}\w{1,20}\b[^|;\n]{0,400}?\s-[kK]\s{1,4}["']?)[^\s"'<-][^\s"']*/g,
  },
  {
    kind: "password",
    pattern: /(\b(?:zip|unzip|ipmitool|sqlcmd|bcp)(?:\.exe)?\b[^|;\n]{0,400}?\s-P\s{0,4}["']?)[^\s"'<-][^\s"']*/g,
  },
  { kind: "password", pattern: /(\b7z[ar]?(?:\.exe)?\s[^|;\n]{0,400}?\s-p["']?)[^\s"'<][^\s"']{3,}/g },
  {
    kind: "password",
    pattern: /(\b(?:net|rpcclient|winexe|wmic)\b[^|;\n]{0,200}?\s-U\s{0,4}["']?[^\s%"']{1,64}%)[^\s"'<]+/g,
  },
  {
    kind: "password",
    pattern: /(\b(?:ipa-[a-z][a-z-]{1,40}|kadmin)\b[^|;\n]{0,400}?\s-w\s{0,4}["']?)[^\s"'<-][^\s"']*/g,
  },
  { kind: "password", pattern: /(\blftp\b[^|;\n]{0,200}?\s-u\s{1,4}["']?[^\s,"']{1,64},)[^\s"'<]+/g },
  {
    kind: "password",
    pattern:
      /(\b(?:certutil(?:\.exe)?\b[^|;\n]{0,400}?\s-p|signtool(?:\.exe)?\b[^|;\n]{0,400}?\s\/p)\s{1,4}["']?)[^\s"'<-][^\s"']*/gi,
  },
  {
    kind: "key",
    pattern: /(\bnsupdate\b[^|;\n]{0,200}?\s-y\s{1,4}["']?(?:hmac-\w{1,10}:)?[^\s:"']{1,128}:)[^\s"'<]+/g,
  },
  {
    kind: "registration-code",
    pattern: /(\bSUSEConnect\b[^|;\n]{0,200}?\s(?:-r|--regcode)[\s=]\s{0,4}["']?)[^\s"'<-][^\s"']*/g,
  },
  { kind: "token", pattern: /(\bvault\s{1,4}login\s{1,4}["']?)(?!-)[^\s"'<=]{16,}/g },
  {
    kind: "password",
    pattern: /(\bPSCredential\s{0,4}\(\s{0,4}["'][^"'\n]{1,128}["']\s{0,4},\s{0,4}\\{0,8}["'])[^"'\\\n<]{1,256}/gi,
  },
  // CREATE USER … IDENTIFIED BY '…', ALTER LOGIN … WITH PASSWORD = N'…', SET PASSWORD … = PASSWORD('…')
  { kind: "password", pattern: /(\bIDENTIFIED\s{1,4}BY\s{1,4}(?:PASSWORD\s{1,4})?\\{0,8}["'])[^"'\\\n<]{1,256}/gi },
  { kind: "password", pattern: /(\bPASSWORD\s{0,4}(?:=\s{0,4}N|\(\s{0,4})\\{0,8}["'])[^"'\\\n<]{1,256}/gi },
  // Whoever knows such an address may post to it.
  {
    kind: "webhook",
    pattern:
      /(\bhttps:\/\/(?:hooks\.slack\.com\/(?:services|workflows)\/|(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/|[\w-]{1,63}\.webhook\.office\.com\/webhookb2\/))[^\s"'<>\\]+/gi,
  },
  { kind: "password-hash", pattern: /(\{(?:S?(?:SHA|MD5)\d{0,3}|CRYPT)\})[\w+/=.$-]{16,}/gi },
  { kind: "password-hash", pattern: /(\bgrub\.pbkdf2\.sha\d{1,3}\.\d{1,8}\.)[\w.]{16,}/g },
  { kind: "api-token", pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  // http_proxy without a scheme
  {
    kind: "userinfo",
    pattern: /(proxy["']?\s{0,4}[:=]\s{0,4}["']?[^\s/@:"'<>]{1,128}:)(?!\/\/)[^\s"'<>@]{1,256}(?=@[\w[])/gi,
  },
  {
    kind: "password",
    pattern:
      /(\bpass(?:word|phrase)\s{1,4}for\s{1,4}(?:user\s{1,4}|account\s{1,4})?[^\s:=]{1,64}(?:\s{1,4}(?:is|was|->)|\s{0,4}[:=])\s{1,4}["'`]?)(?=[^\s"'`]{0,128}\d)(?=[^\s"'`]{0,128}[A-Z])[^\s"'`<]{6,}/gi,
  },
  // Behind "token", a word that no sentence and no name in Kubernetes has: digits, small and capital letters.
  {
    kind: "token",
    pattern:
      /(\b(?:[Tt]oken|[Bb]earer)["']?[\s(]\s{0,4}(?:(?:is|was)\s{1,4})?["'`<(]?)(?=[\w~+/.=-]{0,128}\d)(?=[\w~+/.=-]{0,128}[a-z])(?=[\w~+/.=-]{0,128}[A-Z])\w[\w~+/.=-]{15,}/g,
  },
  // A Secret of Kubernetes has a name with dots and dashes.
  {
    kind: "secret",
    pattern:
      /(\b[Ss]ecret["']?[\s(]\s{0,4}(?:(?:is|was)\s{1,4})?["'`<(]?)(?=\w{0,128}\d)(?=\w{0,128}[a-z])(?=\w{0,128}[A-Z])\w{16,}/g,
  },
];
