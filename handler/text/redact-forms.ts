import { made } from "./looks-made.ts";
import type { AnnouncedPatterns, SecretPattern } from "./redact-commands.ts";

const uuid = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}";
const long = String.raw`(?:[0-9a-f]{64,66}|(?=[\w+/-]{0,128}\d)(?=[\w+/-]{0,128}[a-z])(?=[\w+/-]{0,128}[A-Z])[\w+/-]{40,}={0,2})(?![\w+/=-])`;
/** Behind a name in one word, quoted or not. */
const own = String.raw`["'${"`"}]?`;

/** Of a text in quotes: no word of an error or a rule for passwords, and one of digits, small and capital letters that names nothing. */
const madeWord =
  String.raw`(?![^"'\\\n<]{0,256}\b(?:must|should|cannot|not|no|invalid|required|characters|failed|error|expected|supported|using)\b)` +
  String.raw`(?=[^"'\\\n<]{0,256}(?<![\w.-])(?!(?:[Bb]ase|[Ss]ha|[Uu]tf|IPv|[OA]*[Aa]uth|[Ww]indows|[Pp]ython|[Ee]d|[Bb]crypt)\d)(?=[A-Za-z]{0,64}\d)(?=[A-Z\d]{0,64}[a-z])(?=[a-z\d]{0,64}[A-Z])[A-Za-z\d]{4,64}(?![\w.-]))`;

/** By kind: what stands before the secret, the secret, what follows it. Most secrets have to look made, as what stands before them is common. */
const shapes = String.raw`
# user = "name:…" of curl, ETCDCTL_USER, BUNDLE_HOST
password  (?:\w{0,40}(?:[Uu]ser|USER|login)|\bBUNDLE_\w{1,60})["']?\s{0,4}[=:]\s{0,4}["']?[\w.@-]{1,64}:  ${made}
password  \bETCDCTL_USER=["']?[\w.-]{1,64}:  [^\s"'<]{4,256}
password  \bETCD_(?:ROOT|USER|AUTH|CREDENTIALS)=["']?[\w.-]{1,64}:  (?![^\s"'<]{0,256}/)${made}
# a mail relay's account
password  \[[\w.-]{1,253}\]:(?:25|465|587|2525|smtps?|submission)[\s=]{1,8}[\w.@+-]{1,64}:  [^\s"'<]{4,256}
password  \bauth\s{1,4}[\w.@-]{1,64}:  ${made}
# name:…@host without a scheme
userinfo  (?<![\w.:/@<-])[\w.-]{1,64}:  [^\s"'<@/:]{1,256}(?=@(?:tcp|unix)\()
userinfo  (?<![\w.:/@<-])[\w.-]{1,64}:  (?=[^\s@]{0,128}\d)(?=[^\s@]{0,128}[a-z])(?=[^\s@]{0,128}[A-Z])[^\s"'<@/:]{8,256}(?=@[\w-]{1,63}[.:]\w)
userinfo  <redacted:userinfo>@[\w.-]{1,253}:  [^\s"'<@]{4,256}(?=@)
# Oracle: name/…@service
password  (?<![\w./-])[\w:]{1,64}\/"?  (?=[^\s"@]{0,128}\d)(?:(?=[^\s@]{0,128}[a-z])(?=[^\s@]{0,128}[A-Z])|(?<="))[^\s"'</]{8,128}(?="?@[/\w])
password  \bthin:\w{1,64}\/"  [^"\n]{4,128}(?="@)
# .pgpass
password  ^\s{0,8}(?:\*|[\w.-]{1,253}):(?:\*|\d{2,5}):[^\s:]{1,64}:[^\s:]{1,64}:  [^\s:]{4,}
# new NetworkCredential("name", "…"), auth=("name", "…"), AzureKeyCredential("…")
password  (?:[Cc]redentials?\w{0,8}|[Bb]asic_?[Aa]uth)(?:\]::new)?\(\s{0,4}["'](?:[^"'\n]{1,128}["']\s{0,4},\s{0,4}["'])?  ${made}
key  [Cc]redentials?\(\s{0,4}["']  [0-9a-f]{32,}
password  \bIDENTIFIED\s{1,4}(?:WITH\s{1,4}\w{1,40}\s{1,4})?(?:BY|AS)\s{1,4}(?:PASSWORD\s{1,4})?\\{0,8}["']  [^"'\\\n<]{1,256}
password  \bPASSWORD\s{1,4}'  [^'\n<]{4,256}
# "…" | ConvertTo-SecureString, '…' | password_hash
password  ["']  (?<=["'])[^"'\n<|]{4,128}(?=["']\s{0,4}\|\s{0,4}(?:ConvertTo-SecureString|password_hash))
password  <<<\s{0,4}["']?  ${made}
password  <\(echo\s{1,4}(?:-n\s{1,4})?["']?  [^\s"'<)]{6,128}(?=["']?\))
psk  \bpsk\s{1,4}["']?  ${made}
psk  (?:^|\s):\s{1,4}(?:EAP|XAUTH|NTLM)\s{1,4}["']?  (?:(?<=")[^"\n<]{4,256}|[^\s"'<]{4,256})
base64  ;base64,  [A-Za-z0-9+/]{16,}={0,2}
signature  \b(?:mac|oauth_signature)=["']  [\w+/%=]{20,}
token  (?<![\w/])1\/\/0  [\w-]{40,}
key  \b[Kk]ey(?:\s{1,4}\d{1,2}(?:\s{1,4}\([^()\n]{1,40}\))?:|\s{1,4}is)?\s{1,4}["']?  ${long}
secret  \b(?:secret_id|Secret ?ID)["']?\s{0,4}[\s:=]\s{0,20}["']?  ${uuid}
token  \b(?:kubeconfig-u|token)-[a-z0-9]{5,12}:  [a-z0-9]{54}
token  ^  (?=[^\s,]{0,128}\d)[^\s,"]{8,256}(?=,[\w:.-]{1,64},[\w:.-]{1,64},"?system:)
code  \b(?:[Ss]cratch|[Bb]ackup|[Rr]ecovery|[Vv]erification|[Ee]mergency) [Cc]odes?:?\s{1,4}  \d{6,8}\b
passphrase  \b[Pp]assphrase for [^:\n<]{1,80}:\s{1,4}(?!["'<]|incorrect|wrong|bad|not|no|failed|invalid|empty|required|[Pp]ermission|must|error)  \S[^\n]{5,}
# Your password is: …, API key provided: …, the passphrase of the last line is "…"
password  \b(?:[Pp]assword|[Pp]assphrase|[Pp]asswort|[Kk]ennwort|[Tt]oken|[Ss]ecret|[Cc]redentials?|[Nn]ew value|(?:[Aa][Pp][Ii]|[Aa]ccess|[Ss]ecret|[Ll]icense) [Kk]ey)\b(?:[\s(][^:=\n"'<]{1,60}|(?<=value))(?<!\b(?:user|account|node|host|name|file|path|type|reason|error|cluster|id|request)):\s{1,4}${own}(?![A-Za-z]{2,20}=\d{1,4}\b|0x[0-9A-Fa-f]{4,16}\b|(?:FILE|DIR|KCM|KEYRING):)  ${made}
password  \b[Pp]ass(?:word|phrase) (?:for|of) [^:=\n"'<]{1,60} (?:is|was)(?: now)?:?\s{1,4}["'${"`"}]?  ${made}
password  \b(?:[Pp]assword|[Pp]assphrase|(?:[Aa][Pp][Ii]|[Aa]ccess|[Ss]ecret) [Kk]ey)\s{1,4}(?:(?:is|was|set to|root|admin)\s{1,4})?["'${"`"}]?  ${made}(?<![.:,/-]\w{0,200})
# what a plan or a check says of a variable: expected admin_password to be valid, got …
password  \b\w{1,40}_(?:password|passwd|passphrase|secret|token)\s[^=\n"']{1,80}(?::|\bgot|\bvalue)\s{1,4}${own}(?!\d{4}-)  ${made}
# kubectl get secret … -o jsonpath='{.data.password}' → …
secret  jsonpath=["']?\{\.data\.[\w.\\-]{1,80}\}["']?(?:\s{1,4}\|\s{1,4}base64\s{1,4}-\w{1,8})?\s{1,4}(?:→|=>|->)\s{1,4}  [^\s"'<]{6,}
# Login with admin / …, setting root:…, where the line speaks of passwords
password  (?:passw|credential|[Ll]og ?in)[^\n]{0,120}?(?<![\w.:/@>+=-])(?!(?:https?|[Ss][Hh][Aa]\d{1,3}|MD5)\b)[A-Za-z_][\w\\-]{1,64}(?::| ?\/ ?)  (?![^\s"'<]{0,128}[/:]|[\w-]{1,64}\.[\w.-]{1,128}(?![^\s"'<]))${made}
passphrase  \b[Pp]assphrase\s{1,4}\\{0,4}["']  [^"'\\\n<]{6,256}(?=\\{0,4}["'])
# a phrase in quotes one of whose words looks made: an error in quotes has none such, but for the names of forms and programs
password  \b[Pp]assw(?:ord|ort|d)\s{1,4}\\{0,4}["']  (?=[^"'\s\\<]{1,64} )${madeWord}[^"'\\\n<]{8,256}(?=\\{0,4}["'])
seed  \b(?:[Tt]?otp|TOTP|OTP|2fa|2FA|mfa|MFA)\b[^\n:=]{0,30}?\s["']?  [A-Z2-7]{16,}=*(?![\w-])
# what an authenticator is set up with
seed  \b(?:[Ss]ecret key is|(?:[Ee]ntry|[Ss]etup|[Ss]ecret) key|(?:TOTP|OTP|MFA) (?:key|seed|secret)):?\s{1,4}["']?  [A-Z2-7]{16,}=*(?![\w-])
# hashes of Kerberos and Windows, from which a password can be found
key  \b(?:aes(?:128|256)-cts-hmac-sha\d{1,3}-\d{2,3}|arcfour-hmac|rc4[_-]hmac\w{0,8}|des-cbc-md5):  [0-9a-f]{16,64}\b
password-hash  \$krb5\w{2,8}\$\d{1,2}\$  [^\s"'<]{16,}
password-hash  \b(?:NTLM|NT|LM|NTHash)(?: [Hh]ash)?\s{0,4}[:=]\s{0,4}  [0-9a-fA-F]{32}\b
# wg show all dump: an interface's key, a peer's
private-key  ^(?:[\w.-]{1,15}\t)?  [A-Za-z0-9+/]{43}=(?=\s[A-Za-z0-9+/]{43}=\s\d{1,5}\s)
psk  ^(?:[\w.-]{1,15}\t)?[A-Za-z0-9+/]{43}=\s  [A-Za-z0-9+/]{43}=(?=\s(?:\(none\)|[\da-f.:[\]]{3,50})\s)
psk  \b(?:PSK|[Pp]assphrase|[Pp]assword|[Kk]ey)\b[^\n"'=<]{0,60}hexdump(?:_ascii)?\(len=\d{1,4}\):\s{1,4}  (?!\[)[^\n<]{4,400}
password  ^.{0,200}"[^"\n]{1,64}"\s{1,8}(?:(?:MSCHAPV2|MD5|GTC|PWD|LEAP|TTLS-\w{2,10}|EAP-\w{2,10}),?){1,6}\s{1,8}"  [^"\n<]{1,256}
# what could not be resolved, parsed or bound
userinfo  \b(?:resolve host(?: address)?:?|lookup)\s{1,4}["'\u2018]?[\w.-]{1,64}:  [^\s"'@<]{4,256}(?=@)
password  \bunknown shorthand flag: ["']\w["'] in -\w  ${made}
password  \bInvalidArgument: \(  ${made}(?=:String\))
secret  \bb64enc \\{0,4}"  [^"\\\n<]{1,256}
password  \bPASSWORD [a-z_]{2,40} = ["']?  ${made}
# what was refused was a part of it: a password with a semicolon, a Secret that cannot be read
password  Keyword not supported: '  [^\s';<]{4,128}(?=;)
secret  as a Secret[^|\n]{0,300}\.\.\.\|  [^|\n<]{1,600}(?=\|\.\.\.)
secret  \|\.\.\., bigger context \.\.\.\|(?=[^\n]{0,600}Secret)  [^|\n<]{1,600}
# what PowerShell traces
password  ParameterBinding\(ConvertTo-SecureString\):[^\n]{0,80}name="String"; value="  [^"\n<]{1,256}
base64  ["']encoding["']:\s{1,4}["'](?:gz(?:ip)?\+)?b(?:ase)?64["'],\s{1,4}["']content["']:\s{1,4}b?["']  [A-Za-z0-9+/]{16,}={0,2}
base64  ["']content["']:\s{1,4}b?["']  [A-Za-z0-9+/]{16,}={0,2}(?=["'],\s{1,4}["']encoding["']:\s{1,4}["'](?:gz(?:ip)?\+)?b(?:ase)?64)
# Windows' kernel debugger
key  \bkey[:=]  (?:[a-z0-9]{8,13}\.){3}[a-z0-9]{8,13}\b
# a channel of conda
token  :\/\/[^\s"'<>]{1,200}?\/(?:t|token)\/  (?=[\w-]{0,64}\d)[\w-]{16,}(?=\/)
# write_files in JSON: the content of a file that is named for a secret, in either order
secret  "path"\s{0,4}:\s{0,4}"[^"\n]{0,200}(?:token|passw|secret|credential)[^"\n]{0,40}"[^{}\n]{0,200}?"content"\s{0,4}:\s{0,4}"  [^"\n<]{4,4096}
secret  "content"\s{0,4}:\s{0,4}"  [^"\n<]{4,1024}(?="[^{}\n]{0,200}?"path"\s{0,4}:\s{0,4}"[^"\n]{0,200}(?:token|passw|secret|credential))
# what a shell's trace shows of a test, and of what it reads into a secret's variable
secret  (?:\[\[|'\['|\btest)\s{1,4}(?:!\s)?-[nz]\s{1,4}["']?  (?=[A-Za-z0-9]{0,128}\d)(?=[A-Za-z0-9]{0,128}[a-z])(?=[A-Za-z0-9]{0,128}[A-Z])[A-Za-z0-9]{12,128}(?=["']?\s{1,4}(?:\]|'\]|&&|$))
secret  \bread\s[^|;\n<]{0,100}(?:PASS|pass|TOKEN|token|SECRET|secret)[^|;\n<]{0,60}<<<\s{0,4}["']?  (?:(?<=")[^"\n<]{4,256}|(?<=')[^'\n<]{4,256}|[^\s"'<]{4,256})
# the two halves of a token of kubeadm, told apart
token  \btoken id ["']?[a-z0-9]{6}["']? and (?:token )?secret ["']?  [a-z0-9]{16}\b
# what a program was started with, one argument after the other; and a call that signs in
password  ["']net1?(?:\.exe)?["'],\s{0,4}["']user["'],\s{0,4}["'][^"'\n/]{1,64}["'],\s{0,4}["']  (?!\/)[^"'\n<]{1,256}
password  \b(?:log_?in|sign_?in|authenticate|log_?on|simple_bind_s)\(\s{0,4}["'][^"'\n]{1,128}["'],\s{0,4}["']  ${made}
# made up for a first sign-in, of small letters alone, unless it says what became of it
password  \b(?:[Tt]emporary|[Ii]nitial|[Gg]enerated|[Oo]ne-time) password:\s{1,4}  (?![a-z]{0,20}(?:ed|ing|id|own|set|none|null|empty|error|false|true|yes)\s{0,4}$)[a-z]{8,64}(?=\s{0,4}$)
# the value before its name
password  \b[Uu]s(?:e|ing)\s{1,4}["'${"`"}]?  (?=[^\s"']{0,128}[A-Z])${made}(?=["'${"`"}]?\s{1,4}(?:as|for)\s{1,4}(?:(?:a|the|your|its)\s{1,4})?(?:\w{1,20}\s{1,4})?(?:password|passphrase|token|secret)\b)
# what could not be bound to a parameter
password  \b(?:SecureString|Password|PSCredential)\b[^\n"']{0,80}\b[Cc]annot \w{3,10} (?:argument|value) ["']  [^"'\n<]{4,256}
secret  \bBIND arg \[  (?!System\.)[^\]\n<]{1,256}(?=\] to param(?:eter)? \[\w{0,40}(?:Password|Passphrase|Token|Secret|ApiKey)\w{0,20}\])
password  ["']  ${made}(?=["'] is (?:not an? (?:valid|allowed)|an invalid) (?:\w{1,20} )?(?:password|passphrase|token|secret)\b)
token  \bargv\[\d{1,3}\]\s?[=:]\s?["']--?[\w-]{0,40}(?:token|passw|secret)[\w-]{0,40}["'],?\s{1,4}argv\[\d{1,3}\]\s?[=:]\s?["']  [^"'\n<]{4,256}
# an account as Go prints it, and what is set by its name
password  \b[Cc]red(?:ential)?s:?\s{1,4}&?\{[\w.@-]{1,64}\s{1,4}  [^\s"'<{}]{4,256}(?=[\s}])
password  \b[Cc]redential\s{1,4}["']?(?!(?:provider|helper|store|type|file|plugin)\b)[\w.-]{1,64}["']?\s{1,4}(?:set\s{1,4})?to\s{1,4}["']?  ${made}
token  \b[Mm]acaroon["']?\s{0,4}[\s:=]\s{0,4}["']?  [\w-]{40,}={0,2}
`
  .split("\n")
  .filter((row) => row !== "" && !row.startsWith("#"))
  .map((row) => row.split("  "));

const patterns: readonly SecretPattern[] = shapes.map(([kind = "", before = "", secret = ""]) => ({
  kind,
  pattern: new RegExp(`(${before})${secret}`, "gm"),
}));

const announces =
  /jsonpath|ETCD_|hash|HASH|krb5|hmac|\t|hexdump|MSCHAP|"\s{1,8}[A-Z]|resolve host|lookup|shorthand|InvalidArg|b64enc|Keyword|as a Secret|context|ParameterB|encoding|\]:\d|\]:s|user|USER|login|BUNDLE_|kubeconfig|@|:\d{2,5}:|:\*:|redential|[Aa]uth|IDENTIFIED|\| ?(?:Conv|pass)|<<<|<\(|psk|: (?:EAP|XAUTH|NTLM)|base64|mac=|1\/\/0|[Kk]ey|KEY|[Ss]ecret|PASSWORD|token|\/t\/|otp|OTP|2fa|2FA|mfa|MFA|Log ?in|log in|system:|[Cc]ode|[Pp]ass|kennwort|New value|"content"|SecureString|BIND|argv|[Cc]red|acaroon|is (?:not )?an? |-[nz]\s|PASS|SECRET|TOKEN|net1?(?:\.exe)?["']|[Uu]s(?:e|ing)\s|log|sign_?in|bind_s/;

export const formPatterns: AnnouncedPatterns = { patterns, announces };
