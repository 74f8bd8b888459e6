import type { AnnouncedPatterns, SecretPattern } from "./redact-commands.ts";

/** Secrets that a word before them announces with a blank, a bracket or quotes only: VPN and SNMP files, tokens in quotes. */
const patterns: readonly SecretPattern[] = [
  // wg set wg0 private-key … peer … preshared-key …
  {
    kind: "private-key",
    pattern:
      /((?<![\w-])(?:private-key|preshared-key)\s{1,4}["']?)(?!\/)(?=[^\s"'<]{0,128}\d)(?=[^\s"'<]{0,128}[A-Z])[^\s"'<]{8,}/g,
  },
  // ipsec.secrets: %any %any : PSK "…", and hostapd
  { kind: "psk", pattern: /((?<![\w-])PSK\s{1,4}\\{0,4}["'])[^"'\\\n<]{1,256}/gi },
  { kind: "psk", pattern: /(:\s{0,4}PSK\s{1,4})[^\s"'<]{4,}/g },
  { kind: "psk", pattern: /((?<![\w-])wpa[-_]psk\s{1,4}["']?)[^\s"'<:=]{4,}/gi },
  {
    kind: "psk",
    pattern: /(\bwpa_passphrase\s{1,4}(?:"[^"\n]{1,64}"|[^\s"']{1,64})\s{1,4}["']?)[^\s"'<][^"'\n]{0,63}/g,
  },
  // snmpd.conf, switches, net-snmp's commands
  { kind: "community", pattern: /((?<![\w-])r[ow]community6?\s{1,4}["']?)[^\s"'<]+/gi },
  { kind: "community", pattern: /((?<![\w-])com2sec6?\s{1,4}\S{1,64}\s{1,4}\S{1,64}\s{1,4}["']?)[^\s"'<]+/g },
  { kind: "community", pattern: /(\bsnmp-server\s{1,4}community\s{1,4}["']?)[^\s"'<]+/gi },
  {
    kind: "community",
    pattern:
      /(\bsnmp(?:walk|get|getnext|bulkwalk|bulkget|set|trap|table|status|df)\b[^|;\n]{0,200}?\s-c\s{0,4}["']?)[^\s"'<-][^\s"']*/g,
  },
  // kubectl create secret generic … --from-literal=name=…: every one of them is a secret's value
  { kind: "secret", pattern: /(--from-literal[\s=]\s{0,4}["']?[\w.-]{1,128}=)[^\s"'<][^\s"']*/g },
  // refresh_token "…", "client_secret" '…', accessToken "…"
  {
    kind: "token",
    pattern:
      /((?<![A-Z0-9.-])(?:\w{1,60}_(?:token|secret|password|passwd|passphrase)|(?:access|refresh|auth|bearer|session|api|client|id)(?:Token|Secret))["']?\s{1,4}\\{0,4}["'])[^"'\\\n<]{4,256}/gi,
  },
  {
    kind: "token",
    pattern:
      /((?<![A-Za-z0-9.-])\w{1,60}_(?:token|TOKEN|secret|SECRET|password|PASSWORD)\s{1,4})(?=[\w~+/.=-]{0,128}\d)(?=[\w~+/.=-]{0,128}[a-z])(?=[\w~+/.=-]{0,128}[A-Z])[\w~+/.=-]{10,}/g,
  },
  // password ( … ): letters and digits; "password (required)" is a sentence.
  {
    kind: "password",
    pattern:
      /((?<![A-Z0-9])(?:password|passphrase|passwd|passwort|kennwort|pwd)["']?\s{0,4}\(\s{0,4}["'`]?)(?=[^\s"'`<>()]{0,128}\d)(?=[^\s"'`<>()]{0,128}[A-Z])[^\s"'`<>()]{6,}/gi,
  },
];

/** In most lines there is none of these words, and one look says so. */
const announces =
  /private-key|preshared-key|psk|wpa_pass|community|com2sec|snmp|--from-literal|token|secret|passw|passp|pwd|kennwort/i;

export const wordPatterns: AnnouncedPatterns = { patterns, announces };

/** A password's, token's or key's name in the languages in which systems and people write logs. */
const words = [
  // Spanish, Portuguese, French, Italian, Romanian
  "contraseñas?|contrasenas?|clave secreta|clave|senhas?|palavra-passe|mots? de passe|mot_de_passe|motdepasse|mdp|parola d'ordine|parolă|parola",
  // Dutch, Danish, Norwegian, Swedish, German
  "wachtwoord|adgangskode|passord|lösenord|losenord|zugangsschlüssel|geheimnis|kennwörter|passwörter",
  // Polish, Czech, Slovak, Hungarian, Finnish, Turkish, Vietnamese, Indonesian
  "hasło|haslo|heslo|jelszó|jelszo|salasana|şifre|sifre|mật khẩu|kata sandi",
  // Russian, Ukrainian, Greek
  "пароль|пароля|токен|секрет|парола|ключ доступа|κωδικός πρόσβασης|κωδικός|συνθηματικό",
  // Chinese, Japanese, Korean
  "密码|密碼|口令|令牌|密钥|密鑰|パスワード|トークン|暗証番号|비밀번호|암호|토큰",
  // Arabic, Hebrew, Hindi, Thai
  "كلمة المرور|كلمة السر|סיסמה|סיסמא|पासवर्ड|รหัสผ่าน",
].join("|");

const foreignWord = new RegExp(words, "iu");
/** As the whole of a name. */
const foreignName = new RegExp(`^(?:${words})$`, "iu");

/** The same with what may stand between it and its value, for redact-fields.ts; groups as there. */
export const foreignNameAndSeparator = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(${words})(\\{0,4}["'\]»]{0,2}\s{0,4}(?::=|=>|->|[:=→]|%3[AD])\s{0,8})`,
  "giu",
);

/** True where a line may hold such a name. */
export function mentionsForeignSecret(line: string): boolean {
  return mayBeForeign.test(line) && foreignWord.test(line);
}

const mayBeForeign =
  /[^\u0000-\u007f]|contrasena|clave|senha|palavra|mdp|parola|wachtwoord|adgangskode|losenord|haslo|heslo|jelszo|salasana|sifre|kata sandi|geheimnis|passe|passord/i;

export function isForeignSecretName(name: string): boolean {
  return foreignName.test(name);
}
