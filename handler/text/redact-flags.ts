import { made } from "./looks-made.ts";
import type { AnnouncedPatterns, SecretPattern } from "./redact-commands.ts";

/**
 * Tools by the flags behind which they take a secret that no name announces: kind, tools, flags. A flag that ends in a sign
 * (`-u name:`) has the secret beside it; `joined` says the same of one that ends in a letter.
 */
const tools = String.raw`
password  login|sshpass|az\s{1,4}(?:vm|vmss|ad|acr|sql|mysql|postgres)|mongo(?:sh|dump)?|oras|podman|psexec(?:64)?|winrs|rabbitmqadmin|cqlsh  -p
password  ncftp(?:put|get|ls)?|fence_\w{1,20}|pcs|doveadm|nerdctl|dotnet|regctl|crane|cosign|helm|influx|argocd|choco|certoc|certutil|certreq|useradd|usermod  -p
password  mongo(?:sh|dump)?|sqlcmd|osql|isql|tsql|bcp|ipmitool|chef|knife|winrs|cqlsh|mosquitto_\w{2,8}|agent-auth  -P
password  (?:un)?zip  -[a-z]{0,4}P
password  mysql|mysqldump|mysqladmin|mariadb|7z[ar]?  -p  joined
password  (?:un)?rar  -h?p
password  plink|pscp|psftp|kadmin(?:\.local)?  -pw
password  ldap(?:search|modify|add|whoami|passwd|delete)|ipa-[a-z][a-z-]{1,40}|kadmin  -w
password  ldappasswd|slappasswd  -[sa]
password  redis-cli  -a
password  ssh-keygen  -[NP]
password  pk12util  -[WK]
password  openssl\s{1,4}\w{1,20}  -[kK]
password  snmp\w{2,12}  -[AX]
password  signtool  /p
password  schtasks  /rp
password  netdom|djoin  /(?:machinepwd|passwordd|passwordo|pd|po)
password  vaultcmd  /authenticator
password  \S{0,40}auth\.password\S{0,8}  -v
password  curl  (?:-E|--cert)[\s=]{1,4}["']?[^\s:"'<]{1,200}:
password  curl  -U[\s=]{1,4}["']?[^\s:"'<]{1,128}:
password  https?|xh|lwp-request  -[aC]\s{1,4}["']?[^\s:"'<]{1,128}:
password  mount\S{0,8}  -o\s{1,4}\S{0,200}user=[^\s%,]{1,64}%
password  smb(?:client|get|tree|cacls)|net|samba-tool|realm|adcli|rpcclient|winexe|wmic  (?:-U\s{0,4}|--user(?:name)?[\s=]{1,4})["']?[^\s%"']{1,64}%
password  lftp  -u\s{1,4}["']?[^\s,"']{1,64},
basic-auth  curl  -[A-Za-z#]{0,12}u\s{0,4}["']?(?:<redacted:[a-z-]{1,24}>|[^\s:"'@<-][^\s:"'@<]{0,128}):
cookie  curl  -b|--cookie
community  snmp(?:walk|get|getnext|bulkwalk|bulkget|set|trap|table|status|df)  -c
registry-auth  crictl\s(?:[^|;\n]{0,100}\s)?pull  -a
token  https?|xh  -A\s{1,4}bearer\s{1,4}-a
token  (?:k3s|rke2)(?:\.exe)?\s{1,4}(?:agent|server)  -t
key  (?:dotnet\s{1,4})?nuget|choco  -k
key  az\s{1,4}(?:iot|functionapp|network|webapp|eventhubs|servicebus)  --(?:pk|sk|value|key-value)
key  sonar-scanner  -Dsonar\.(?:login|token)=
key  oms(?:agent|admin)\S{0,20}|\S{0,20}onboard_agent\S{0,20}  (?:-s|--shared)[\s=]{1,4}["']?(?!\/(?:etc|home|opt|root|run|tmp|usr|var)\/)  joined
key  nsupdate  -y\s{1,4}["']?(?:hmac-\w{1,10}:)?(?!hmac-)[^\s:"'<]{1,128}:
secret  az\s{1,4}keyvault\s{1,4}secret\s{1,4}set  --value
activation-key  rhc\s{1,4}connect  -a
token  vault\s{1,4}token\s{1,4}create  -id
registration-code  registercloudguest|(?:SUSE|suse)[Cc]onnect  -r|--regcode
`
  .trim()
  .split("\n")
  .map((row) => row.split("  "));

/** Behind a quote up to the next one, else one word that is no flag and no port. */
const value = String.raw`(?:(?<=")[^"\n<]{1,256}|(?<=')[^'\n<]{1,256}|(?<!["'])(?!\d{1,5}(?:[:\s]|$))[^\s"'<=:-][^\s"']{0,511})`;

const flagPatterns: readonly SecretPattern[] = tools.map(([kind = "", names = "", flags = "", joined]) => {
  const isJoined = joined !== undefined || /[:%,=]$/.test(flags);
  const separator = isJoined ? "" : String.raw`(?:[\s=:]{1,4}|(?=\S{0,200}[\d"']))`;
  const letters = flags.includes("/") ? "gi" : "g";
  return {
    kind,
    pattern: new RegExp(String.raw`( (?:${flags})${separator}["']?)${value}`, letters),
    tool: new RegExp(nameOf(names), letters),
  };
});

const anyTool = new RegExp(nameOf(tools.map(([, names = ""]) => names).join("|")), "i");

function nameOf(tool: string): string {
  return String.raw`(?<![\w.-])(?:${tool})(?:\.exe)?(?=\s)`;
}

export const toolPatterns: AnnouncedPatterns = { patterns: flagPatterns, announces: anyTool };

/** Words of a command behind which the secret stands, with blanks only: a secret that looks made, a `phrase` in quotes as well, or `any`. */
const commands = String.raw`
key  vault operator unseal|vault login|cargo login|snyk auth|ngrok (?:config add-)?authtoken|cloudflared service install|(?:pro|ua) attach|splunk add \S+|consul acl set-agent-token \S{1,40}
password  bindpw|slappasswd -s|ipmitool\b.{0,100} user set password \d{1,2}|racadm set \S{1,80}|trap2sink \S{1,80}
password  mkpasswd(?: -m \S{1,20}| -\S{1,40}){0,4}|htpasswd -\w{0,6}[nb]\w{0,6} \S{1,64}|poetry config http-basic\.\S{1,64} \S{1,64}
password  (?:mc (?:alias|config host) (?:set|add) \S{1,64} \S{1,200} \S{1,64}|bitsadmin \/SetCredentials \S{1,64} \S{1,16} \S{1,16} \S{1,64})
password  net1?(?:\.exe)? use\b(?: \S{1,200}){1,3} \/u(?:ser)?:\S{1,64}
password  (?:etcdctl user add|bundle config(?: set)? \S{1,128}) [^\s:]{1,64}:|smbclient \S{1,128}
password  ^\s{0,8}https?:\/\/\S{1,200} [\w@.-]{1,64}|^\s{0,8}["']?[\w.@-]{1,64}["']? \*
password  createUser \S{1,64} [\w-]{3,12}  phrase
password  createUser \S{1,64} [\w-]{3,12} \S{1,64} \w{3,12}  phrase
password  \b(?:PASS|AUTH(?: PLAIN| LOGIN| XOAUTH2| [\w.-]{1,32})?)|user \S{1,64} on >|SETUSER \S{1,64} on >
password  \bsend(?: --)?|\bdefault (?:on )?>|Key Content\s{1,20}:
password  rclone obscure|rasdial \S{1,64} [^\s/]{1,64}|nssm\b.{0,100} ObjectName \S{1,128}|(?:add_user|change_password|authenticate_user) \S{1,64}|nmcli\b.{0,100} password  any
`
  .trim()
  .split("\n")
  .map((row) => row.split("  "));

const words = new RegExp(
  String.raw`(?<![\w.-])(?:${commands.map(([, before = ""]) => before).join("|")})`.replaceAll(
    " ",
    String.raw`\s{1,4}`,
  ),
);
/** The words, and flags of the command, some with a value of their own. */
const lead = (before: string) =>
  String.raw`((?:(?<![\w.-])|^)(?:${before})(?:\s{1,4}--?[a-z][\w-]{0,30}(?:[ =][\w.-]{1,40})?){0,2}(?<=[\s:>]|\w|\*)(?:(?<=[:>])|\s{1,4})["']?)`.replaceAll(
    " ",
    String.raw`\s{1,4}`,
  );
const likely = `(?:${made}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[^\\s"'<]{0,128}\\d)(?=[^\\s"'<]{0,128}[!#%*@^~])[^\\s"'<]{8,}|[A-Za-z0-9+/]{14,}={0,2}(?![^\\s"'=]))`;

/** What stands behind the words: any word, a phrase in quotes or what looks made, or what looks made alone. */
const behind: Readonly<Record<string, string>> = {
  any: String.raw`[^\s"'<-][^\s"']*`,
  phrase: `(?:(?<=")[^"\n<]{8,256}|${likely})`,
  made: likely,
};

const wordPatterns: readonly SecretPattern[] = commands.map(([kind = "", before = "", secret = "made"]) => ({
  kind,
  pattern: new RegExp(`${lead(before)}${behind[secret] ?? likely}`, "g"),
}));

export const commandWordPatterns: AnnouncedPatterns = { patterns: wordPatterns, announces: words };
