/** A secret that is recognised by its own shape or by the words directly around it. */
export interface SecretPattern {
  readonly kind: string;
  /** Global. Group 1, when it takes part, is kept in front of the marker. */
  readonly pattern: RegExp;
  /** Global. The tool to whose command line what is found has to belong. */
  readonly tool?: RegExp;
}

/** The same as a row of a table. */
export type PatternRow = readonly [kind: string, pattern: RegExp];

export function toPatterns(rows: readonly PatternRow[]): readonly SecretPattern[] {
  return rows.map(([kind, pattern]) => ({ kind, pattern }));
}

/** Patterns of which none is looked for in a line without a word that announces one. */
export interface AnnouncedPatterns {
  readonly patterns: readonly SecretPattern[];
  readonly announces: RegExp;
}

/** Secrets that a command takes without a name before them, as shells trace them (`set -x`) and logs quote them. */
export const commandPatterns: readonly PatternRow[] = [
  // -u name:password, but not a user's and a group's numbers
  [
    "basic-auth",
    /((?<=\s)(?:-u|--user(?:name)?|--proxy-user)[\s=]["']?(?!\d{1,10}:\d{1,10}(?:\s|$))(?:<redacted:[a-z-]{1,24}>|[^\s:"'@<]{0,128}):)(?!\/\/)[^\s"']+/g,
  ],
  [
    "password",
    /(\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?["']?[\w.-]{1,64}:)[^\s"'|][^"'|\n]{0,256}(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?chpasswd)/g,
  ],
  // … > FILE && chpasswd < FILE, … | tee FILE | chpasswd
  [
    "password",
    /(\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?["']?[\w.-]{1,64}:)[^\s"'|<>]{1,256}(?=["']?\s{0,4}[|>][^\n]{0,200}\bchpasswd\b)/g,
  ],
  [
    "password",
    /(\bConvertTo-SecureString(?:\s{1,4}-(?:AsPlainText|Force|String))*\s{1,4}\\{0,8}["']?)(?:(?<=["'])[^"'\\\n]{1,256}|(?![-:])[^\s"'\\]+)/gi,
  ],
  // Cannot convert the "…" value of type "System.String" to type "System.Security.SecureString"
  [
    "password",
    /(\b[Cc]onvert the \\{0,8}["'])[^"'\\\n<]{1,256}(?=\\{0,8}["'] value of type \\{0,8}["']System\.String\\{0,8}["'] to type \\{0,8}["'][\w.]{1,60}\.(?:SecureString|PSCredential))/g,
  ],
  [
    "password",
    /(\bnet1?(?:\.exe)?\s{1,4}user(?:\s{1,4}\/\S{1,40}){0,4}\s{1,4}[^\s/]{1,64}\s{1,4})(?:\\{0,8}"[^"\\\n<]{1,256}|(?!\/)\S+)/gi,
  ],
  [
    "secret",
    /(\benv:\w{0,64}(?:SECRET|TOKEN|PASSWORD|KEY)\w{0,64}["']?\s{1,4}-Value\s{1,4}\\{0,8}["']?)[^\s"'<\\][^\s"'\\]*/gi,
  ],
  // ctr images pull --user name:password, skopeo --creds are told by the flag's name.
  [
    "password",
    /((?:<<<|<\(echo\s{1,4}(?:-n\s{1,4})?|\b(?:echo|printf|yes)\s{1,4}(?:-\w{1,4}\s{1,4})?(?:["']?(?:\w{1,32}:)?%s(?:\\n)?["']?\s{1,4})?)\s{0,4})(?:"[^"\n|]{1,256}"|'[^'\n|]{1,256}'|[^\s"'|]{1,256})(?=\s{0,4}\|[^|\n]{0,200}(?:--password-stdin|--stdin-password|\b(?:ch|smb)?passwd\b(?!:)|\bcryptsetup|\bkinit|\brealm\s|\bwg\s|\bsudo\s{1,4}-\w{0,4}S|--with-token|--passphrase-fd|ConvertTo-SecureString))/g,
  ],
  [
    "password",
    /((?:--password-stdin|--stdin|--with-token|\bchpasswd|\bkinit|\bcryptsetup|\bsudo\s{1,4}-\w{0,4}S\w{0,4})\b[^|\n<]{0,200}<<<\s{0,4})(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"']{1,256})/g,
  ],
  [
    "password",
    /(\bnet1?(?:\.exe)?\s{1,4}use\s{1,4}(?:[A-Z*]:?\s{1,4})?["']?\\{1,4}[^\s"']{1,256}["']?\s{1,4}["']?)(?![/"'])[^\s"']+/gi,
  ],
  [
    "password",
    /(\bhtpasswd\s[^|;\n]{0,40}-\w{0,4}b\w{0,4}\s[^|;\n]{0,200}?\S\s{1,4}\S{1,64}\s{1,4}["']?)[^\s"'|;]+(?=["']?\s{0,4}(?:$|[|;&>]))/g,
  ],
  ["password", /(\bopenssl\s{1,4}passwd(?:\s{1,4}-(?:[156]|apr1|salt\s{1,4}\S{1,32}))*\s{1,4}["']?)[^\s"'-][^\s"']*/g],
  ["password", /((?:\s|^|["'])pass:)[^\s"']{4,}/g],
  // netrc, on one line or with its words on lines of their own
  [
    "password",
    /(\b(?:login|account)\s{1,4}\S{1,128}\s{1,4}(?:account\s{1,4}\S{1,128}\s{1,4})?password\s{1,4})[^\s"'<]\S*/g,
  ],
  ["password", /(\bmachine\s{1,4}\S{1,256}\s{1,4}password\s{1,4})[^\s"'<]\S*/g],
  [
    "password",
    /^((?:.{0,200}[\]>]:? )?\s{0,40}password\s{1,8})(?=\S{0,128}[\d!#$%^&*@~+/])[^\s"'<:=]\S{3,}(?=\s{0,8}$)/gi,
  ],
  ["password", /(\s[-/]p:)[^\s"']{4,}/g],
  [
    "token",
    /(\b(?:_authToken|authtoken|login\s{1,4}token|config\s{1,4}set\s{1,4}\S{0,200}token)\s{1,4}["']?)[^\s"'<=:-][^\s"']{7,}/gi,
  ],
  ["cookie", /((?<![\w-])(?:set-)?cookie:\s{1,4})(?!(?:missing|expired|invalid|none|not)\b)[^\s"'<][^"'\n]{0,2048}/gi],
  // ALTER LOGIN … WITH PASSWORD = N'…', SET PASSWORD … = PASSWORD('…')
  ["password", /(\bPASSWORD\s{0,4}(?:=\s{0,4}N|\(\s{0,4})\\{0,8}["'])[^"'\\\n<]{1,256}/gi],
  // Whoever knows such an address may post to it.
  [
    "webhook",
    /(\bhttps:\/\/(?:hooks\.slack\.com\/(?:services|workflows)\/|(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/|[\w-]{1,63}\.webhook\.office\.com\/webhookb2\/))[^\s"'<>\\]+/gi,
  ],
  ["password-hash", /(\{(?:S?(?:SHA|MD5)\d{0,3}|CRYPT)\})[\w+/=.$-]{16,}/gi],
  ["password-hash", /(\bgrub\.pbkdf2\.sha\d{1,3}\.\d{1,8}\.)[\w.]{16,}/g],
  ["api-token", /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g],
  // http_proxy without a scheme
  ["userinfo", /(proxy["']?\s{0,4}[:=]\s{0,4}["']?[^\s/@:"'<>]{1,128}:)(?!\/\/)[^\s"'<>@]{1,256}(?=@[\w[])/gi],
  [
    "password",
    /(\bpass(?:word|phrase)\s{1,4}for\s{1,4}(?:user\s{1,4}|account\s{1,4})?[^\s:=]{1,64}(?:\s{1,4}(?:is|was|->)|\s{0,4}[:=])\s{1,4}["'`]?)(?=[^\s"'`]{0,128}\d)(?=[^\s"'`]{0,128}[A-Z])[^\s"'`<]{6,}/gi,
  ],
  // Behind "token", a word that no sentence and no name in Kubernetes has: digits, small and capital letters.
  [
    "token",
    /(\b(?:[Tt]oken|[Bb]earer)["']?[\s(]\s{0,4}(?:(?:is|was)\s{1,4})?["'`<(]?)(?=[\w~+/.=-]{0,128}\d)(?=[\w~+/.=-]{0,128}[a-z])(?=[\w~+/.=-]{0,128}[A-Z])\w[\w~+/.=-]{15,}/g,
  ],
  // A Secret of Kubernetes has a name with dots and dashes.
  [
    "secret",
    /(\b[Ss]ecret["']?[\s(]\s{0,4}(?:(?:is|was)\s{1,4})?["'`<(]?)(?=\w{0,128}\d)(?=\w{0,128}[a-z])(?=\w{0,128}[A-Z])\w{16,}/g,
  ],
  // A word behind "password" that no sentence has: letters and digits, at least eight.
  [
    "password",
    /(\b\w{0,12}(?:password|passphrase|passwd|rootpw|kennwort)["']?\s{1,40}(?:--plaintext\s{1,4}|(?:is|was|of|->|(?:(?:is|was|has been)\s{1,4})?(?:set|changed|reset)\s{1,4}to)\s{1,4})?["'`]?)(?=[^\s"'`]{0,128}\d)(?=[^\s"'`]{0,128}[A-Z])[^\s"'`<>,;:()=/]{8,}(?:[=/:][^\s"'`<>,;()]*)?/gi,
  ],
];
