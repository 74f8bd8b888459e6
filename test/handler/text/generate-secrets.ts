import { randomFrom } from "../../model/random.ts";
import { formTemplates } from "./read-forms.ts";

/** A secret in the surroundings in which logs and commands show such secrets. */
export interface PlantedSecret {
  readonly kind: string;
  readonly secret: string;
  readonly text: string;
}

type Random = () => number;

/** Deterministic: the same seed makes the same secrets. */
export function generateSecrets(seed: number, count: number): readonly PlantedSecret[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const { kind, make, around } = pick(random, random() < 0.5 ? templates : forms());
    const secret = make(random);
    return { kind, secret, text: `${pick(random, heads)}${pick(random, around)(secret)}${pick(random, tails)}` };
  });
}

let read: readonly Template[] | undefined;

/** The forms of secret-forms.txt, read once. */
function forms(): readonly Template[] {
  read ??= formTemplates().map(({ make, around }) => ({ kind: "form", make, around: [around] }));
  return read;
}

function pick<T>(random: Random, list: readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new Error("Cannot pick from an empty list");
  return chosen;
}

function text(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => pick(random, Array.from(alphabet))).join("");
}

const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const hex = `${digits}abcdef`;
const alphanumeric = `${lower}${lower.toUpperCase()}${digits}`;
const base64 = `${alphanumeric}+/`;
const base64Url = `${alphanumeric}-_`;
const passwordAlphabet = `${alphanumeric}!#$%*+-.=@^_~`;

const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));
const password = (random: Random) =>
  text(random, alphanumeric, 1) +
  text(random, passwordAlphabet, between(random, 8, 22)) +
  text(random, alphanumeric, 1);
const joinToken = (random: Random) => `${text(random, lower + digits, 6)}.${text(random, lower + digits, 16)}`;
const jwt = (random: Random) =>
  `eyJ${text(random, base64Url, between(random, 20, 60))}.eyJ${text(random, base64Url, between(random, 40, 300))}.${text(random, base64Url, 43)}`;
const accountKey = (random: Random) => `${text(random, base64, 86)}==`;
const signature = (random: Random) => encodeURIComponent(`${text(random, base64, 43)}=`);
const pemLines = (random: Random) =>
  Array.from({ length: between(random, 3, 26) }, () => text(random, base64, 64)).join("\n");
const clientSecret = (random: Random) => `${text(random, base64Url, 3)}8Q~${text(random, base64Url, 34)}`;

/** At least one of each: a capital and a small letter, a digit. */
const wordLike = (random: Random) => `${text(random, alphanumeric, between(random, 8, 24))}aZ7`;

/** What stands in front on the same line: nothing, a journal prefix, cloud-init's own. */
const heads = [
  "",
  "",
  "Nov 21 03:14:07 worker-1 cloud-init[1032]: ",
  "2026-11-21T03:14:07+0000 worker-1 cloud-init[1032]: ",
  "2026-11-21 03:14:07,123 - util.py[DEBUG]: ",
  "+ ",
  "[2026-11-21 03:14:07] ",
] as const;
const tails = ["", "", "\n", "\r\n", "\nnext line\n"] as const;

interface Template {
  readonly kind: string;
  readonly make: (random: Random) => string;
  readonly around: readonly ((secret: string) => string)[];
}

const fieldNames = [
  "password",
  "AZURE_CLIENT_SECRET",
  "clientSecret",
  "api_key",
  "adminPassword",
  "DB_PASS",
  "RKE2_TOKEN",
];
const asNamedField = (secret: string) => [
  ...fieldNames.map((name) => `${name}=${secret}`),
  ...fieldNames.map((name) => `export ${name}='${secret}'`),
  ...fieldNames.map((name) => `{"kind":"x","${name}":"${secret}","next":1}`),
  ...fieldNames.map((name) => `"msg":"body {\\"${name}\\": \\"${secret}\\"}"`),
  ...fieldNames.map((name) => `{'${name}': '${secret}', 'next': 1}`),
  ...fieldNames.map((name) => `${name}: ${secret}`),
  ...fieldNames.map((name) => `- ${name}: "${secret}"`),
  ...fieldNames.map((name) => `--${name.toLowerCase().replaceAll("_", "-")} ${secret}`),
  ...fieldNames.map((name) => `--${name.toLowerCase().replaceAll("_", "-")}=${secret}`),
  ...fieldNames.map((name) => `["tool","--${name}","${secret}"]`),
  ...fieldNames.map((name) => `<${name}>${secret}</${name}>`),
];
const namedField = Array.from(
  { length: asNamedField("").length },
  (_unused, index) => (secret: string) => asNamedField(secret)[index] ?? "",
);

const templates: readonly Template[] = [
  { kind: "named field", make: password, around: namedField },
  {
    kind: "join token",
    make: joinToken,
    around: [
      (s) =>
        `kubeadm join cp.example.internal:6443 --token ${s} --discovery-token-ca-cert-hash sha256:${"ab".repeat(32)}`,
      (s) => `[bootstrap-token] Using token: ${s}`,
      (s) => `      token: ${s}`,
      (s) => `"bootstrapToken":{"token":"${s}","apiServerEndpoint":"cp.example.internal:6443"}`,
      (s) => `tlsBootstrapToken: "${s}"`,
      (s) => `error: token "${s}" is invalid or has expired`,
      (s) => `Authorization: Bearer ${s}`,
    ],
  },
  {
    kind: "certificate key",
    make: (random) => text(random, hex, 64),
    around: [
      (s) => `kubeadm join cp:6443 --control-plane --certificate-key ${s}`,
      (s) => `--certificate-key=${s} --v=5`,
      (s) => `certificateKey: ${s}`,
      (s) => `  certificateKey: "${s}"`,
      (s) => `[upload-certs] Using certificate key:\n${s}`,
      (s) => `[upload-certs] Using certificate key:\nNov 21 03:14:07 cp-0 cloud-init[1032]: ${s}`,
    ],
  },
  {
    kind: "bearer token",
    make: (random) => text(random, base64Url, between(random, 24, 80)),
    around: [
      (s) => `Authorization: Bearer ${s}`,
      (s) => `curl -H "Authorization: Bearer ${s}" https://10.0.0.4:6443/healthz`,
      (s) => `request headers {"Authorization":["Bearer ${s}"]}`,
      (s) => `using bearer ${s} for the request`,
    ],
  },
  {
    kind: "JWT",
    make: jwt,
    around: [
      (s) => `{"access_token":"${s}","expires_in":"3599"}`,
      (s) => `token review of ${s} failed`,
      (s) => `    token: ${s}`,
      (s) => `https://login.example.com/cb?id_token=${s}`,
    ],
  },
  {
    kind: "SAS",
    make: signature,
    around: [
      (s) =>
        `GET https://acct.blob.core.windows.net/c/check.sh?sv=2024-11-04&sr=b&se=2026-11-22T00%3A00%3A00Z&sp=r&sig=${s}`,
      (s) => `'https://acct.blob.core.windows.net/c?sp=r&sig=${s}&sv=2024-11-04': 403`,
      (s) => `{"url":"https://acct.blob.core.windows.net/c/x?sv=1\\u0026sig=${s}\\u0026se=2"}`,
      (s) => `BLOB=https://acct.blob.core.windows.net/?sig=${s}`,
      (s) => `SharedAccessSignature=sv=2024-11-04&ss=b&srt=sco&sig=${s}`,
      (s) => `next=https%3A%2F%2Facct.blob.core.windows.net%2Fc%3Fsv%3D1%26sig%3D${s}`,
    ],
  },
  {
    kind: "query secret",
    make: (random) => text(random, alphanumeric, between(random, 20, 40)),
    around: [
      (s) => `https://files.example.com/a?access_token=${s}&x=1`,
      (s) => `https://files.example.com/a?X-Amz-Signature=${s}`,
      (s) => `https://func.example.com/api/run?code=${s}`,
      (s) => `https://func.example.com/api/run?name=x&key=${s}`,
      (s) => `https://files.example.com/a?client_secret=${s}#part`,
    ],
  },
  {
    kind: "URL userinfo",
    make: password,
    around: [
      (s) => `HTTPS_PROXY=http://proxyuser:${s}@proxy.example.com:3128`,
      (s) => `fetching https://bob:${s}@git.example.com/x.git failed`,
      (s) => `postgres://app:${s}@10.0.0.9:5432/db?sslmode=require`,
      (s) => `dial "https://${s.replaceAll("@", "_")}@registry.example.com/v2/": no route`,
    ],
  },
  {
    kind: "basic auth",
    make: (random) => Buffer.from(`user:${text(random, alphanumeric, between(random, 9, 30))}`).toString("base64"),
    around: [
      (s) => `Authorization: Basic ${s}`,
      (s) => `{"auths":{"registry.example.com":{"auth":"${s}"}}}`,
      (s) => `"registry.example.com": {"auth": "${s}", "email": "a@example.com"}`,
      (s) => `Proxy-Authorization: Basic ${s}`,
    ],
  },
  {
    kind: "password in a command",
    make: (random) => text(random, alphanumeric, between(random, 10, 24)),
    around: [
      (s) => `curl -fsSL -u admin:${s} https://repo.example.com/x`,
      (s) => `az login --service-principal -u 11111111-2222-3333-4444-555555555555 -p ${s} --tenant example`,
      (s) => `docker login -u bob -p ${s} registry.example.com`,
      (s) => `echo "root:${s}" | chpasswd`,
      (s) => `net user capi ${s} /add`,
      (s) => `$p = ConvertTo-SecureString "${s}" -AsPlainText -Force`,
      (s) => `sshpass -p ${s} ssh node-1`,
      (s) => `mysql -h 10.0.0.4 -uroot -p${s} app`,
      (s) => `Set-Item -Path env:CLIENT_SECRET -Value "${s}"`,
      (s) => `password: 'it''s ${s}'`,
    ],
  },
  {
    kind: "cloud-config password",
    make: password,
    around: [
      (s) => `\nchpasswd:\n  expire: false\n  list: |\n    root:${s}\n`,
      (s) => `\nchpasswd:\n  list:\n    - capi:${s}\n`,
      (s) => `\nchpasswd:\n  users:\n    - {name: capi, password: ${s}, type: text}\n`,
      (s) => `\nusers:\n  - name: capi\n    plain_text_passwd: ${s}\n    lock_passwd: false\n`,
      (s) => `\npassword: ${s}\nssh_pwauth: true\n`,
      (s) => `\nadmin_password: |\n  ${s}\nruncmd: []\n`,
    ],
  },
  {
    kind: "password hash",
    make: (random) => `$6$${text(random, alphanumeric, 12)}$${text(random, `${alphanumeric}./`, 86)}`,
    around: [(s) => `    passwd: ${s}`, (s) => `usermod -p '${s}' capi`, (s) => `hashed_passwd: "${s}"`],
  },
  {
    kind: "private key",
    make: pemLines,
    around: [
      (s) => `\n-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----\n`,
      (s) =>
        `\n  content: |\n    -----BEGIN EC PRIVATE KEY-----\n    ${s.replaceAll("\n", "\n    ")}\n    -----END EC PRIVATE KEY-----\n`,
      (s) => `"key":"-----BEGIN PRIVATE KEY-----\\n${s.replaceAll("\n", "\\n")}\\n-----END PRIVATE KEY-----\\n"`,
      (s) =>
        `content: ${Buffer.from(`-----BEGIN OPENSSH PRIVATE KEY-----\n${s}\n-----END OPENSSH PRIVATE KEY-----\n`).toString("base64")}`,
      (s) => `    client-key-data: ${Buffer.from(`-----BEGIN RSA PRIVATE KEY-----\n${s}`).toString("base64")}`,
      (s) => `\n${s}\n-----END RSA PRIVATE KEY-----\n`,
    ],
  },
  {
    kind: "account key",
    make: accountKey,
    around: [
      (s) => `DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=${s};EndpointSuffix=core.windows.net`,
      (s) => `Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
      (s) => `storage key is ${s}`,
      (s) => `"storageAccountKey":"${s}"`,
      (s) => `az storage blob upload --account-key ${s} -f x`,
    ],
  },
  {
    kind: "connection string",
    make: (random) => text(random, alphanumeric, between(random, 12, 24)),
    around: [
      (s) => `Server=tcp:db.example.com,1433;User ID=app;Password=${s};Encrypt=True`,
      (s) => `Server=db;Uid=app;Pwd=${s};`,
      (s) => `CONNECTION_STRING="Server=db;Uid=app;Pwd=${s};"`,
    ],
  },
  {
    kind: "client secret",
    make: clientSecret,
    around: [(s) => `using ${s} of the app`, (s) => `aadClientSecret: ${s}`, (s) => `"${s}"`],
  },
  {
    kind: "cloud keys",
    make: (random) => `AKIA${text(random, lower.toUpperCase() + digits, 16)}`,
    around: [(s) => `AWS_ACCESS_KEY_ID=${s}`, (s) => `credential ${s} is not valid`],
  },
  {
    kind: "cloud secret key",
    make: (random) => text(random, base64, 40),
    around: [
      (s) => `AWS_SECRET_ACCESS_KEY=${s}`,
      (s) => `aws_secret_access_key = ${s}`,
      (s) => `"secretAccessKey":"${s}"`,
    ],
  },
  {
    kind: "cluster token",
    make: (random) => text(random, hex, 32),
    around: [
      (s) => `token: K10${"c4".repeat(32)}::server:${s}`,
      (s) => `K3S_TOKEN=K10${"c4".repeat(32)}::node:${s} sh install.sh`,
      (s) => `INFO using K10${"c4".repeat(32)}::${s} to join`,
      (s) => `microk8s join 10.0.0.4:25000/${s}/0123456789ab`,
      (s) => `curl -sfL https://get.k3s.io | K3S_TOKEN=${s} sh -s - agent`,
    ],
  },
  {
    kind: "behind a word",
    make: wordLike,
    around: [
      (s) => `wg set wg0 listen-port 51820 private-key ${s} peer x`,
      (s) => `%any %any : PSK "${s}"`,
      (s) => `\tpsk="${s}"`,
      (s) => `wpa_passphrase net ${s}`,
      (s) => `rocommunity ${s} 10.0.0.0/8`,
      (s) => `snmpwalk -v2c -c ${s} 10.0.0.1`,
      (s) => `refresh_token "${s}"`,
      (s) => `accessToken '${s}' was refused`,
      (s) => `client_secret ${s} was refused`,
      (s) => `token=<${s}>`,
      (s) => `password ( ${s} )`,
      (s) => `DB_PASSWORD -> ${s}`,
      (s) => `kubectl create secret generic x --from-literal=password=${s}`,
      (s) => `kubectl create secret generic x --from-literal dbkey=${s}`,
    ],
  },
  {
    kind: "a name in other letters",
    make: wordLike,
    around: [
      (s) => `\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1a${s}`,
      (s) => `t\u043eken=${s}`,
      (s) => `p\u0430ssw\u043erd: ${s}`,
      (s) => `"\u0455ecret":"${s}"`,
      (s) => `ＡＰＩ＿ＫＥＹ＝${s}`,
    ],
  },
  {
    kind: "a name in another language",
    make: wordLike,
    around: [
      ...["contraseña", "mot de passe", "Passwort", "Kennwort", "senha", "wachtwoord", "hasło", "lösenord", "şifre"],
      ...["пароль", "Токен", "密码", "口令", "パスワード", "비밀번호", "mật khẩu", "κωδικός", "סיסמה"],
    ].flatMap((name) => [(s: string) => `${name}: ${s}`, (s: string) => `${name} = "${s}"`]),
  },
  {
    kind: "user data",
    make: (random) => text(random, base64, between(random, 160, 400)),
    around: [
      (s) => `<CustomData>${s}</CustomData>`,
      (s) => `"userData":"${s}"`,
      (s) => `customData: ${s}`,
      (s) => `    content: H4sI${s}`,
      (s) => `\n    ${s.slice(0, 76)}\n    ${s.slice(76, 152)}\n`,
      (s) => `Unhandled non-multipart (text/x-not-multipart) userdata: 'b"${s}"...'`,
    ],
  },
];
