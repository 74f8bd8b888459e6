/** A secret that is recognised by its own shape or by the words directly around it. */
export interface SecretPattern {
  readonly kind: string;
  /** Global. Group 1, when it takes part, is kept in front of the marker. */
  readonly pattern: RegExp;
}

/** Patterns of which none is looked for in a line without a word that announces one. */
export interface AnnouncedPatterns {
  readonly patterns: readonly SecretPattern[];
  readonly announces: RegExp;
}

/** Secrets that a command takes without a name before them, as shells trace them (`set -x`) and logs quote them. */
export const commandPatterns: readonly SecretPattern[] = [
  // curl -u name:password, az login -p …, sshpass -p …, net user NAME PASSWORD
  // but not a user's and a group's numbers
  {
    kind: "basic-auth",
    pattern:
      /((?<=\s)(?:-u|--user|--proxy-user)[\s=]["']?(?!\d{1,10}:\d{1,10}(?:\s|$))(?:<redacted:[a-z-]{1,24}>|[^\s:"'@<]{0,128}):)(?!\/\/)[^\s"']+/g,
  },
  { kind: "password", pattern: /(\b(?:login|sshpass)\b[^|;\n]{0,400}?\s-p\s{0,4}["']?)[^\s"'-][^\s"']*/g },
  { kind: "password", pattern: /(\bnet1?(?:\.exe)?\s{1,4}user\s{1,4}[^\s/]{1,64}\s{1,4})(?!\/)\S+/gi },
  {
    kind: "password",
    pattern:
      /(\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?["']?[\w.-]{1,64}:)[^\s"'|][^"'|\n]{0,256}(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?chpasswd)/g,
  },
  { kind: "password", pattern: /(\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?\\{0,8}["']?)(?!-)[^\s"'\\]+/gi },
  { kind: "password", pattern: /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;\n]{0,200}?\s-p)[^\s"'-][^\s"']*/g },
  {
    kind: "secret",
    pattern:
      /(\benv:\w{0,64}(?:SECRET|TOKEN|PASSWORD|KEY)\w{0,64}["']?\s{1,4}-Value\s{1,4}\\{0,8}["']?)[^\s"'<\\][^\s"'\\]*/gi,
  },
  // curl -fsSLu name:password, curl -uname:password
  {
    kind: "basic-auth",
    pattern:
      /(\bcurl(?:\.exe)?\b[^|;\n]{0,400}?\s-[A-Za-z#]{0,12}u\s{0,4}["']?(?:<redacted:[a-z-]{1,24}>|[^\s:"'@<-][^\s:"'@<]{0,128}):)(?!\/\/)[^\s"']+/g,
  },
  // ctr images pull --user name:password, skopeo --creds are told by the flag's name.
  {
    kind: "password",
    pattern:
      /((?:<<<|<\(echo\s{1,4}(?:-n\s{1,4})?|\b(?:echo|printf|yes)\s{1,4}(?:-\w{1,4}\s{1,4})?(?:["']?(?:\w{1,32}:)?%s(?:\\n)?["']?\s{1,4})?)\s{0,4})(?:"[^"\n|]{1,256}"|'[^'\n|]{1,256}'|[^\s"'|]{1,256})(?=\s{0,4}\|[^|\n]{0,200}(?:--password-stdin|--stdin-password|\b(?:ch|smb)?passwd\b(?!:)|\bcryptsetup|\bkinit|\brealm\s|\bsudo\s{1,4}-\w{0,4}S|--with-token|--passphrase-fd|ConvertTo-SecureString))/g,
  },
  {
    kind: "password",
    pattern:
      /((?:--password-stdin|--stdin|--with-token|\bchpasswd|\bkinit|\bcryptsetup)\b[^|\n<]{0,200}<<<\s{0,4})(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"']{1,256})/g,
  },
  {
    kind: "token",
    pattern:
      /(\b(?:k3s|rke2)(?:\.exe)?\s{1,4}(?:agent|server)\b[^|;\n]{0,400}?\s-t[\s=]\s{0,4}["']?)[^\s"'<-][^\s"']*/g,
  },
  { kind: "token", pattern: /(\b(?:pro|ua)\s{1,4}attach\s{1,4})(?!-)[^\s"'<]{16,}/g },
  {
    kind: "password",
    pattern:
      /(\bnet1?(?:\.exe)?\s{1,4}use\s{1,4}(?:[A-Z*]:?\s{1,4})?["']?\\{2,4}[^\s"']{1,256}["']?\s{1,4}["']?)(?![/"'])[^\s"']+/gi,
  },
  {
    kind: "password",
    pattern: /(\b(?:plink|pscp|psftp)(?:\.exe)?\b[^|;\n]{0,400}?\s-pw\s{1,4}["']?)[^\s"']+/gi,
  },
  {
    kind: "password",
    pattern:
      /(\b(?:mongo(?:sh|dump)?|sqlcmd|bcp|oras|podman|psexec(?:64)?|winrs|rabbitmqadmin|cqlsh)(?:\.exe)?\b[^|;\n]{0,400}?\s-[pP][\s:=]\s{0,4}["']?)(?!\d{1,5}:\d)[^\s"'-][^\s"']*/g,
  },
  { kind: "password", pattern: /(\bredis-cli\b[^|;\n]{0,400}?\s-a\s{1,4}["']?)[^\s"']+/g },
  { kind: "password", pattern: /(\bldap(?:search|modify|add|whoami)\b[^|;\n]{0,400}?\s-w\s{1,4}["']?)[^\s"']+/g },
  { kind: "password", pattern: /(\bschtasks(?:\.exe)?\b[^|;\n]{0,400}?\s\/rp\s{1,4}["']?)[^\s"']+/gi },
  {
    kind: "password",
    pattern:
      /(\bhtpasswd\s[^|;\n]{0,40}-\w{0,4}b\w{0,4}\s[^|;\n]{0,200}?\S\s{1,4}\S{1,64}\s{1,4}["']?)[^\s"'|;]+(?=["']?\s{0,4}(?:$|[|;&>]))/g,
  },
  {
    kind: "password",
    pattern: /(\b(?:add_user|change_password|authenticate_user)\s{1,4}\S{1,64}\s{1,4}["']?)[^\s"']+/g,
  },
  { kind: "password", pattern: /(\bsmbclient\b[^|;\n]{0,200}?\s-U\s{0,4}\\{0,8}["']?[^\s%"']{1,64}%)[^\s"']+/g },
  {
    kind: "password",
    pattern: /(\bopenssl\s{1,4}passwd(?:\s{1,4}-(?:[156]|apr1|salt\s{1,4}\S{1,32}))*\s{1,4}["']?)[^\s"'-][^\s"']*/g,
  },
  { kind: "password", pattern: /((?:\s|^|["'])pass:)[^\s"']{4,}/g },
  // netrc, on one line or with its words on lines of their own
  {
    kind: "password",
    pattern:
      /(\b(?:login|account)\s{1,4}\S{1,128}\s{1,4}(?:account\s{1,4}\S{1,128}\s{1,4})?password\s{1,4})[^\s"'<]\S*/g,
  },
  { kind: "password", pattern: /(\bmachine\s{1,4}\S{1,256}\s{1,4}password\s{1,4})[^\s"'<]\S*/g },
  {
    kind: "password",
    pattern:
      /^((?:.{0,200}[\]>]:? )?\s{0,40}password\s{1,8})(?=\S{0,128}[\d!#$%^&*@~+/])[^\s"'<:=]\S{3,}(?=\s{0,8}$)/gi,
  },
  { kind: "password", pattern: /(\b(?:useradd|usermod)\b[^|;\n]{0,200}?\s-p\s{1,4}["']?)[^\s"'-][^\s"']*/g },
  { kind: "password", pattern: /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;\n]{0,200}?\s-p["'])[^"'\n]{1,256}/g },
  { kind: "password", pattern: /(\bldap(?:search|modify|add|whoami)\b[^|;\n]{0,400}?\s-w)[^\s"']{4,}/g },
  {
    kind: "password",
    pattern:
      /(\bsudo\s{1,4}-\w{0,4}S\w{0,4}\b[^|\n<]{0,200}<<<\s{0,4})(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"']{1,256})/g,
  },
  {
    kind: "password",
    pattern: /(\bConvertTo-SecureString(?:\s{1,4}-(?:AsPlainText|Force|String))*\s{1,4}\\{0,8}["'])[^"'\\\n]{1,256}/gi,
  },
  { kind: "password", pattern: /(\s[-/]p:)[^\s"']{4,}/g },
  { kind: "password", pattern: /(\bssh-keygen\b[^|;\n]{0,200}?\s-[NP]\s{1,4}["']?)[^\s"'-][^\s"']*/g },
  {
    kind: "token",
    pattern:
      /(\b(?:_authToken|authtoken|login\s{1,4}token|config\s{1,4}set\s{1,4}\S{0,200}token)\s{1,4}["']?)[^\s"'<=:-][^\s"']{7,}/gi,
  },
  {
    kind: "cookie",
    pattern: /(\bcurl\b[^|;\n]{0,400}?\s(?:-b|--cookie)\s{1,4}["']?)[^\s"'-][^"'\n]{0,512}(?=["'\s]|$)/g,
  },
  {
    kind: "cookie",
    pattern: /((?<![\w-])(?:set-)?cookie:\s{1,4})(?!(?:missing|expired|invalid|none|not)\b)[^\s"'<][^"'\n]{0,2048}/gi,
  },
  // A word behind "password" that no sentence has: letters and digits, at least eight.
  {
    kind: "password",
    pattern:
      /(\b(?:password|passphrase|passwd|rootpw|kennwort)["']?\s{1,40}(?:--plaintext\s{1,4}|(?:is|was|of|->)\s{1,4})?["'`]?)(?=[^\s"'`]{0,128}\d)(?=[^\s"'`]{0,128}[A-Z])[^\s"'`<>,;:()=/]{8,}(?:[=/:][^\s"'`<>,;()]*)?/gi,
  },
  // iscsiadm -n node.session.auth.password -v …
  { kind: "password", pattern: /(\bauth\.password\S{0,8}\s{1,4}-v\s{1,4}["']?)[^\s"']+/g },
];
