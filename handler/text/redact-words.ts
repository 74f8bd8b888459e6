import { toPatterns, type AnnouncedPatterns } from "./redact-commands.ts";

/** What one word in brackets may say of a password. */
const saidOfPassword = [
  "administrator|already|again|attempt\\w*|authentication|automatic\\w*|bcrypt|blank|changed?|clear(?:text)?|confirm\\w*|created|current|default|disabled",
  "empty|enabled|encoded|encrypted|expired?|failed|generated|hashed|hidden|ignored|incorrect|initial|insecure|interactive|invalid|kerberos",
  "local|locked|mandatory|masked|missing|needed|nonexistent|obsolete|omitted|optional|original|password\\w*|permanent|plain(?:text)?|policy|prompt\\w*",
  "protected|provided|random\\w*|recommended|redacted|repeat|required?|reset|rotated|scram|secure\\w*|secret\\w*|sensitive|shadow|skipped|stdin|string",
  "supported|temporary|unchanged|unencrypted|unknown|unset|unused|updated?|username|verified|verify|visible|warning|without|keyring|keytab|vault",
].join("|");

/** Secrets that a word before them announces with a blank, a bracket or quotes only: VPN and SNMP files, tokens in quotes. */
const patterns = toPatterns([
  // wg set wg0 private-key … peer … preshared-key …
  [
    "private-key",
    /((?<![\w-])(?:private-key|preshared-key)\s{1,4}["']?)(?!\/)(?=[^\s"'<]{0,128}\d)(?=[^\s"'<]{0,128}[A-Z])[^\s"'<]{8,}/g,
  ],
  // ipsec.secrets: %any %any : PSK "…", and hostapd
  ["psk", /((?<![\w-])PSK\s{1,4}\\{0,4}["'])[^"'\\\n<]{1,256}/gi],
  ["psk", /(:\s{0,4}PSK\s{1,4})[^\s"'<]{4,}/g],
  [
    "psk",
    /((?<![\w-])(?:wpa[-_]psk|[\w-]{1,40}\.psk)\s{1,4}["']?)(?:(?<=")[^"\n<]{4,64}|(?<=')[^'\n<]{4,64}|(?!\w{1,40}=|[\w-]{1,40}\.psk\s)[^\s"'<:=]{4,})/gi,
  ],
  ["psk", /(\bwpa_passphrase\s{1,4}(?:"[^"\n]{1,64}"|[^\s"']{1,64})\s{1,4}["']?)[^\s"'<][^"'\n]{0,63}/g],
  // snmpd.conf, switches, net-snmp's commands
  ["community", /((?<![\w-])r[ow]community6?\s{1,4}["']?)[^\s"'<]+/gi],
  ["community", /((?<![\w-])com2sec6?\s{1,4}\S{1,64}\s{1,4}\S{1,64}\s{1,4}["']?)[^\s"'<]+/g],
  [
    "community",
    /(\b(?:snmp-server|set\s{1,4}(?:service\s{1,4})?snmp)\s{1,4}community\s{1,4}["']?)(?!(?:access|is|names?|not|strings?)\s)[^\s"'<]+/gi,
  ],
  ["community", /(\bsnmp-server\s{1,4}host\s[^|;\n]{1,100}\sversion\s{1,4}(?:1|2c)\s{1,4}["']?)[^\s"'<]+/gi],
  ["community", /(\bsnmp\s{1,4}community(?:\s{1,4}(?:name|string))?\s{1,4}["'])[^"'\n<]{1,128}/gi],
  // kubectl create secret generic … --from-literal=name=…: every one of them is a secret's value
  ["secret", /(--from-literal[\s=]\s{0,4}["']?[\w.-]{1,128}=)[^\s"'<][^\s"']*/g],
  // refresh_token "…", "client_secret" '…', accessToken "…"
  [
    "token",
    /((?<![A-Z0-9.-])(?:\w{1,60}_(?:token|secret|password|passwd|passphrase)|(?:access|refresh|auth|bearer|session|api|client|id)(?:Token|Secret))["']?\s{1,4}\\{0,4}["'])[^"'\\\n<]{4,256}/gi,
  ],
  [
    "token",
    /((?<![A-Za-z0-9.-])\w{1,60}_(?:token|TOKEN|secret|SECRET|password|PASSWORD|(?:access|secret|account|api|private|shared|storage)_key)\s{1,4})(?=[\w~+/.=-]{0,128}\d)(?=[\w~+/.=-]{0,128}[a-z])(?=[\w~+/.=-]{0,128}[A-Z])[\w~+/.=-]{10,}/g,
  ],
  // password ( … ): letters and digits, or one word that says nothing; "password (required)" is a sentence.
  [
    "password",
    /((?<![A-Z0-9])(?:password|passphrase|passwd|passwort|kennwort|pwd)["']?\s{0,4}\(\s{0,4}["'`]?)(?=[^\s"'`<>()]{0,128}\d)(?=[^\s"'`<>()]{0,128}[A-Z])[^\s"'`<>()]{6,}/gi,
  ],
  [
    "password",
    new RegExp(
      String.raw`((?<![A-Z0-9])(?:password|passphrase|passwd|passwort|kennwort|pwd)["']?\s{0,4}\(\s{0,4})(?!(?:${saidOfPassword})\s{0,4}\))[A-Z]{6,64}(?=\s{0,4}\))`,
      "gi",
    ),
  ],
]);

/** In most lines there is none of these words, and one look says so. */
const announces =
  /private-key|preshared-key|_key|psk|wpa_pass|community|com2sec|snmp|--from-literal|token|secret|passw|passp|pwd|kennwort/i;

export const wordPatterns: AnnouncedPatterns = { patterns, announces };

/** A password's, token's or secret's name in the languages in which systems and people write logs. */
const words = [
  // Spanish, Catalan, Basque, Portuguese, French, Italian, Romanian
  "contraseñas?|contrasenas?|contrasenya|pasahitza|clave secreta|clave de acceso|clave|senhas?|palavra-passe|mots? de passe|mot_de_passe|motdepasse|mdp|jeton|parola d'ordine|parolă|parola",
  // Dutch, Danish, Norwegian, Swedish, German, Icelandic
  "wachtwoord(?:zin)?|wagwoord|adgangskode|kodeord|passord|lösenord|losenord|zugangsschlüssel|zugangstoken|geheimnis|kennw[oö]rt(?:er)?|passw[oö]rt(?:er)?|aðgangsorð|lykilorð",
  // Polish, Czech, Slovak, Slovene, Croatian, Albanian, Lithuanian, Latvian
  "hasło|haslo|heslo|geslo|lozinka|zaporka|fjalëkalimi|slaptažodis|parole",
  // Hungarian, Finnish, Estonian, Turkish, Vietnamese, Indonesian, Malay
  "jelszó|jelszo|salasana|tunnussana|salasõna|şifre|sifre|mật khẩu|kata sandi|kata laluan",
  // Russian, Ukrainian, Serbian, Greek
  "пароль|пароля|токен|секрет|парола|лозинка|ключ доступа|κωδικός πρόσβασης|κωδικός|συνθηματικό",
  // Chinese, Japanese, Korean
  "密码|密碼|口令|令牌|访问密钥|密钥|密鑰|パスワード|トークン|暗証番号|비밀번호|암호|토큰",
  // Arabic, Hebrew, Hindi, Thai
  "كلمة المرور|كلمة السر|סיסמה|סיסמא|पासवर्ड|รหัสผ่าน",
].join("|");

/** A key's name: keys are public as often. */
const keyWords =
  "schlüssel|sleutel|nyckel|nøgle|avain|klucz|klíč|kľúč|kulcs|anahtar|clé secrète|clé|llave|chiave|chave|cheie|ключ|κλειδί|秘密鍵|密鍵|鍵|키";

const foreignWord = new RegExp(`${words}|${keyWords}`, "iu");
/** As the whole of a name. */
const foreignName = new RegExp(`^(?:${words})(?:_\\w{1,31})?$`, "iu");
const keyName = new RegExp(`^(?:${keyWords})$`, "iu");

/** What says that the value follows. */
const isWords = "es|ist|est|è|är|is|er|jest|to|se ha establecido en|is ingesteld op|wurde gesetzt auf|a été défini sur";

/**
 * The same with what may stand between it and its value, for redact-fields.ts; groups as there. Between them there may be whose
 * it is: "Mot de passe pour root : …".
 */
export const foreignNameAndSeparator = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}])|(?=[密口令パ暗비암]))((?:${words})(?:_[a-z]\w{0,30})?|${keyWords})(\\{0,4}["'\]»]{0,2}(?:(?: [\p{L}'’]{1,20}){1,3}(?=\s?:|\s(?:lautet|${isWords})\s\S{0,40}\d))?\s{0,4}(?::=|=>|->|[:=→]|%3[AD]|(?:lautet|${isWords})(?=\s\S{0,40}\d)|[是为為は](?=\s?\S{0,40}\d))\s{0,8})`,
  "giu",
);

/** What programs of these languages say in place of a value. */
export const foreignState =
  /^(?:nicht|abgelaufen|ungültig|falsch|fehlt|non|pas|expirée?|invalide|incorrecte?|introuvable|manquante?|no|caducad[oa]|inválid[oa]|incorrec?t[oa]|faltante|não|expirad[oa]|scadut[oa]|mancante|errat[oa]|niet|verlopen|ongeldig|не|неверн\p{L}+|истёк|истек|просрочен|отсутствует|已过期|已過期|无效|無效|错误|錯誤|缺失|未设置|期限切れ|無効|만료|잘못)(?!\p{L})/iu;

/** True where a line may hold such a name. */
export function mentionsForeignSecret(line: string): boolean {
  return mayBeForeign.test(line) && foreignWord.test(line);
}

const mayBeForeign =
  /[^\u0000-\u007f]|contrase|pasahitza|clave|senha|palavra|mdp|parol|wachtwoord|wagwoord|adgangskode|kodeord|losenord|haslo|heslo|geslo|lozinka|zaporka|jelszo|sa?lasana|tunnus|sifre|kata |geheimnis|zugangs|passe|passord|passwort|kennwort|jeton|sleutel|nyckel|avain|klucz|kulcs|anahtar|llave|chiave|chave|cheie/i;

export function isForeignSecretName(name: string): boolean {
  return foreignName.test(name);
}

export function isDoubtfulForeignName(name: string): boolean {
  return keyName.test(name);
}
