import { hide } from "./hidden-texts.ts";
import { made } from "./looks-made.ts";
import type { AnnouncedPatterns, SecretPattern } from "./redact-commands.ts";

/** What a flag's secret looks like: quoted, with blanks too, or one word that is no flag itself. */
const value = String.raw`(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|(?!<redacted:)[^\s"'<-][^\s"']{0,511})`;

/** Tools by the short flags behind which they take a secret; every such flag of the command counts. */
const tools: readonly (readonly [kind: string, tools: string, flags: string])[] = [
  ["password", String.raw`az\s{1,4}(?:vm|vmss|ad|acr|sql|mysql|postgres)`, "-p"],
  ["password", "osql|isql|tsql|sqlcmd|chef|knife", "-P"],
  [
    "password",
    "ncftp(?:put|get|ls)?|fence_\\w{1,20}|pcs|doveadm|nerdctl|dotnet|regctl|crane|cosign|helm|influx|argocd|choco|certoc",
    "-p",
  ],
  ["key", String.raw`(?:dotnet\s{1,4}nuget|nuget|choco)`, "-k"],
  ["password", "ssh-keygen", "-[NP]"],
  ["password", "(?:un)?rar", "-h?p"],
  ["password", "pk12util", "-[WK]"],
  ["password", "(?:un)?zip", "-[a-z]{0,4}P"],
  ["password", "ldappasswd|slappasswd", "-[sa]"],
  ["password", "snmp\\w{2,12}", "-[AX]"],
  ["key", String.raw`az\s{1,4}(?:iot|functionapp|network|webapp|eventhubs|servicebus)`, "--(?:pk|sk|value|key-value)"],
  ["registration-code", "registercloudguest|(?:SUSE|suse)[Cc]onnect", "-r"],
  ["password", "schtasks", "/rp"],
  ["key", "sonar-scanner", "-Dsonar\\.(?:login|token)="],
  ["password", "curl", "(?:-E|--cert)[\\s=]{1,4}[\"']?[^\\s:\"']{1,200}:"],
  ["password", "curl", "-U[\\s=]{1,4}[\"']?[^\\s:\"']{1,128}:"],
  ["password", "https?|xh|lwp-request", "-[aC]\\s{1,4}[\"']?[^\\s:\"']{1,128}:"],
  ["token", "https?|xh", "-A\\s{1,4}bearer\\s{1,4}-a"],
  ["password", "kadmin(?:\\.local)?", "-pw"],
  ["password", "mount\\S{0,8}", "-o\\s{1,4}\\S{0,200}user=[^\\s%,]{1,64}%"],
];

interface Tool {
  readonly kind: string;
  readonly command: RegExp;
  readonly flag: RegExp;
}

const table: readonly Tool[] = tools.map(([kind, names, flags]) => ({
  kind,
  command: new RegExp(String.raw`(?<![\w.-])(?:${names})(?:\.exe)?\s[^|;\n]{1,400}`, "g"),
  flag: new RegExp(
    String.raw`((?:^|\s)(?:${flags})(?:[\s=:]{1,4}|(?=\S{0,200}[\d"'])))(${value})`,
    names === "schtasks" ? "gi" : "g",
  ),
}));

const anyTool = new RegExp(String.raw`(?<![\w.-])(?:${tools.map(([, names]) => names).join("|")})(?:\.exe)?\s`);

/** Hides what tools take behind a flag of one letter. */
export function redactFlags(line: string): string {
  if (!anyTool.test(line)) return line;
  return table.reduce(
    (text, { kind, command, flag }) =>
      text.replace(command, (said) =>
        said.replace(flag, (_whole, before: string, secret: string) => {
          const quote = /^["']/.exec(secret)?.[0] ?? "";
          return `${before}${quote}${hide(kind, secret.slice(quote.length, secret.length - quote.length))}${quote}`;
        }),
      ),
    line,
  );
}

/** Words of a command behind which the secret stands, with blanks only. */
const commands: readonly (readonly [kind: string, words: string])[] = [
  [
    "key",
    String.raw`vault operator unseal|cargo login|snyk auth|ngrok (?:config add-)?authtoken|cloudflared service install|(?:pro|ua) attach|splunk add \S+`,
  ],
  [
    "password",
    String.raw`rclone obscure|bindpw|slappasswd -s|ipmitool\b.{0,100} user set password \d{1,2}|racadm set \S{1,80}|trap2sink \S{1,80}`,
  ],
  [
    "password",
    String.raw`mkpasswd(?: -m \S{1,20}| -\S{1,40}){0,4}|htpasswd -\w{0,6}[nb]\w{0,6} \S{1,64}|poetry config http-basic\.\S{1,64} \S{1,64}`,
  ],
  [
    "password",
    String.raw`(?:mc (?:alias|config host) (?:set|add) \S{1,64} \S{1,200} \S{1,64}|bitsadmin \/SetCredentials \S{1,64} \S{1,16} \S{1,16} \S{1,64})`,
  ],
  ["password", String.raw`(?:etcdctl user add|bundle config(?: set)? \S{1,128}) [^\s:]{1,64}:|smbclient \S{1,128}`],
  ["password", String.raw`net1?(?:\.exe)? use\b(?: \S{1,200}){1,3} \/u(?:ser)?:\S{1,64}`],
  ["password", String.raw`^\s{0,8}https?:\/\/\S{1,200} [\w@.-]{1,64}|^\s{0,8}["']?[\w.@-]{1,64}["']? \*`],
  ["password", String.raw`createUser \S{1,64} [\w-]{3,12} \S{1,64} \w{3,12}`],
  ["password", String.raw`createUser \S{1,64} [\w-]{3,12}`],
  ["password", String.raw`\b(?:PASS|AUTH(?: PLAIN| LOGIN| XOAUTH2)?)|user \S{1,64} on >|SETUSER \S{1,64} on >`],
  ["password", String.raw`\bsend(?: --)?|\bdefault (?:on )?>|Key Content\s{1,20}:`],
];

const words = new RegExp(
  String.raw`(?<![\w.-])(?:${commands.map(([, before]) => before).join("|")})`.replaceAll(" ", String.raw`\s{1,4}`),
);
const lead = (before: string) =>
  String.raw`((?:(?<![\w.-])|^)(?:${before})(?:\s{1,4}--?[a-z][\w-]{0,30}){0,2}(?<=[\s:>]|\w|\*)(?:(?<=[:>])|\s{1,4})["']?)`.replaceAll(
    " ",
    String.raw`\s{1,4}`,
  );

const wordPatterns: readonly SecretPattern[] = commands.map(([kind, before]) => ({
  kind,
  pattern: new RegExp(
    `${lead(before)}(?:${made}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[^\\s"'<]{0,128}\\d)(?=[^\\s"'<]{0,128}[!#%*@^~])[^\\s"'<]{8,}|[A-Za-z0-9+/]{14,}={0,2}(?![^\\s"'=]))`,
    "g",
  ),
}));

export const commandWordPatterns: AnnouncedPatterns = { patterns: wordPatterns, announces: words };
