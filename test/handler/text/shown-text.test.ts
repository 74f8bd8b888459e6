import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { readableText } from "../../../handler/text/outside-text.ts";
import { show, showAgain, showBytes, showPartOf } from "../../../handler/text/shown-text.ts";

const token = "abcdef.0123456789abcdef";
const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJub2RlIn0.${"Q".repeat(43)}`;

test.each([
  `\u001b[36m${token}\u001b[0m`,
  `abcdef.\u001b[1m0123456789abcdef\u001b[0m`,
  "password\u001b[0m=hunter2hunter2",
  "password\u009b0m=hunter2hunter2",
  "pass\u200bword=hunter2hunter2",
  "pass\u00adword: hunter2hunter2",
  `^[[36m${token}^[[0m`,
  `#033[36m${token}#033[0m`,
  `[36m${token}[0m`,
  "p\bpa\bas\bss\bsw\bwo\bor\brd\bd=h\bhu\bun\bnt\bte\ber\br2\b2h\bhu\bun\bnt\bte\ber\br2\b2",
  `abcdef\u202e.0123456789abcdef`,
])("hides a secret behind colours and characters that nobody sees: %j", (text) => {
  expect(show(text)).toContain("<redacted:");
  expect(show(text)).not.toMatch(/0123456789abcdef|hunter2/);
});

test.each([
  `{"msg":"first line\\n${token}\\nlast"}`,
  `I1121 03:14:07.000000 1032 join.go:1] "out" text="a\\n\\t${token}"`,
  `err="a \\\\n${token}\\\\n"`,
  `2026-11-21 03:14:07.123 1032 INFO cloudbaseinit [-] User data out: b'kubeadm join\\r\\n${token}\\r\\n'`,
  `cloudbaseinit stdout: b"x\\n${jwt}\\n"`,
  `bytes cut in the middle of a literal \\r\\n${token}\\r\\nnext`,
  `out: b'x\\x1b[36m${token}\\x1b[0m'`,
  `{"log":"\\u001b[36m${token}\\u001b[0m"}`,
  `printf '\\033[36m${token}\\033[0m'`,
  `PowerShell: "line\`n${token}\`r"`,
  `rsyslog#012${token}#012`,
  `https://logs.example/?q=line%0A${token}%0A`,
  `<m>line&#10;${token}&#xA;</m>`,
  `b'-----BEGIN RSA PRIVATE KEY-----\\nMIIB0123456789abcdef\\n-----END RSA PRIVATE KEY-----\\n'`,
  `b'cut off above\\nMIIB0123456789abcdef\\n-----END RSA PRIVATE KEY-----\\n'`,
])("hides a secret inside a literal of any language: %j", (text) => {
  expect(show(text)).toContain("<redacted:");
  expect(show(text)).not.toMatch(/0123456789abcdef|Q{20}/);
});

test("leaves the escapes of a line without a secret as they were written", () => {
  const line = 'E1121 kubelet.go:2412] "Error" err="node \\"worker\\" not found" path=C:\\new\\table';
  expect(show(line)).toBe(line);
});

test("a value with an escape in it is hidden whole", () => {
  expect(show('password="first\\nsecond"')).toBe('password="<redacted:password>"');
});

test.each([
  "crictl pull --creds bob:s3cr3t-pw registry.example/x",
  "skopeo copy --src-creds=bob:s3cr3t-pw docker://a docker://b",
  "skopeo copy --dest-creds bob:s3cr3t-pw docker://a docker://b",
  "curl -fsSLu me:s3cr3t-pw https://repo.example/x",
  "curl -ume:s3cr3t-pw https://repo.example/x",
  "k3s agent -s https://10.0.0.4:6443 -t s3cr3t-pw",
  "rke2 server -t=s3cr3t-pw",
  "echo s3cr3t-pw | docker login -u bob --password-stdin registry.example",
  "printf '%s' 's3cr3t-pw' | podman login --password-stdin",
  'docker login --password-stdin <<< "s3cr3t-pw"',
  "chpasswd <<< root:s3cr3t-pw",
  'chpasswd <<<"root:s3cr3t-pw"',
  "subscription-manager register --org 1 --activationkey s3cr3t-pw",
  "subscription-manager register --activationkey=s3cr3t-pw",
  "vault login hvs.CAESIs3cr3t-pw-0123456789abcdef",
  "machine repo.example login bob password s3cr3t-pw",
  "machine repo.example\n  login bob\n  password s3cr3t-pw",
  "<AdministratorPassword><Value>s3cr3t-pw</Value><PlainText>true</PlainText>",
  "<AdministratorPassword>\n  <Value>s3cr3t-pw</Value>\n</AdministratorPassword>",
  "net use \\\\files\\share s3cr3t-pw /user:bob",
  "net use Z: \\\\files\\share s3cr3t-pw /user:bob",
  "setx API_TOKEN s3cr3t-pw",
  'setx /M DB_PASSWORD "s3cr3t-pw"',
  "pw=s3cr3t-pw",
  "cmdkey /add:files /user:bob /pass:s3cr3t-pw",
  '[Environment]::SetEnvironmentVariable("API_TOKEN", "s3cr3t-pw", "Machine")',
  '{"name":"DB_PASSWORD","value":"s3cr3t-pw"}',
  "- name: DB_PASSWORD\n  value: s3cr3t-pw",
  "| password | s3cr3t-pw |",
  "│ token │ s3cr3t-pw │",
  "Password:\n  s3cr3t-pw",
  "plink -ssh -pw s3cr3t-pw bob@host",
  "mongosh -u bob -p s3cr3t-pw",
  "redis-cli -a s3cr3t-pw ping",
  "openssl enc -aes-256-cbc -pass pass:s3cr3t-pw",
])("knows the secret in: %j", (text) => {
  expect(show(text)).toContain("<redacted:");
  expect(show(text)).not.toContain("s3cr3t-pw");
});

test.each(["utf-16le", "utf-16be"] as const)("redacts %s, with and without a byte order mark", (encoding) => {
  const text = `kubeadm join --token ${token}\r\nerror: refused\r\n`;
  for (const mark of ["\ufeff", ""]) {
    const little = Buffer.from(mark + text, "utf16le");
    const shown = showBytes(encoding === "utf-16le" ? little : little.swap16());
    expect(shown).toBe("kubeadm join --token <redacted:join-token>\nerror: refused\n");
  }
});

test("UTF-16 in the middle of UTF-8, as PowerShell appends it, is redacted too", () => {
  const mixed = Buffer.concat([Buffer.from("plain start of a log\n".repeat(40)), Buffer.from(token, "utf16le")]);
  expect(showBytes(mixed)).toContain("<redacted:join-token>");
});

test("nothing that drives a terminal, reorders or hides is shown", () => {
  const hostile =
    "\u001b]52;c;ZWNobyBoaQ==\u0007a\u001b]0;title\u001b\\b\u001b[2Jc\u009b2Jd\u202ee\u2066f\u2069g\u200bh\u00adi\u061cj\u{e0041}k\u0008l\u0000";
  expect(show(hostile)).toBe("abcdefghijl");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(show(text)).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069]/,
      );
      expect(show(text).isWellFormed()).toBe(true);
    }),
    { seed: 20261122, numRuns: 2000 },
  );
});

test("an unclosed terminal string hides no further lines", () => {
  expect(show("a\u001b]0;title\nerror: no such host")).toBe("a\nerror: no such host");
});

test("a text that begins or ends within its line loses the half word there", () => {
  expect(show("23456789abcdef rest", { start: true })).toBe("… rest");
  expect(show("9abcdef tail of a line\nwhole line", { start: true })).toBe("whole line");
  expect(show("the storage key is AAAABBBBCCCC", { end: true })).toBe("the storage key is …");
});

test("a part of a line is shown only where the line shows it", () => {
  const line = show(`token ${token} refused by 10.0.0.4`);
  expect(showPartOf(line, "10.0.0.4")).toBe("10.0.0.4");
  expect(showPartOf(line, token)).toBe("<redacted:part>");
});

test("a stored JSON message is shown again value by value and stays JSON", () => {
  const again = showAgain(JSON.stringify({ summary: `token ${token}`, next: 'say "password: hunter2hunter2"' }));
  expect(JSON.parse(again)).toEqual({
    summary: "token <redacted:join-token>",
    next: 'say "password: <redacted:password>"',
  });
});

test("none of the catalogue's own words is taken for a secret", () => {
  const { rules } = loadRules(readFileSync("scripts/rules.json", "utf8"));
  const words = rules.flatMap((rule) =>
    rule.kind === "failure" ? [rule.title, rule.explanation, rule.nextStep, ...rule.references] : [],
  );
  expect(words.length).toBeGreaterThan(100);
  expect(words.filter((text) => show(text) !== text)).toEqual([]);
});

test("a coloured line of UTF-16 within UTF-8, and UTF-16 with zero characters in it, are redacted", () => {
  const coloured = Buffer.concat([
    Buffer.from("plain start of a log\n".repeat(40)),
    Buffer.from(`AWS_ACCESS_KEY_ID=\u001b[36mAKIANMP1O8RBXQ6WVEX9\u001b[0m\n`, "utf16le"),
  ]);
  expect(showBytes(coloured)).not.toContain("AKIANMP1O8");
  const zeros = `error: number 13\n${Array.from("curl -u bob:s3cr3t-pw x").join("\0")}\ntoken abcdef.012345\u200b6789abcdef\n`;
  expect(showBytes(Buffer.from(zeros, "utf16le"))).not.toMatch(/s3cr3t-pw|6789abcdef/);
});

/** Of digits alone as well: they could be taken for a token or a key. */
const digits = (length: number, of = "0123456789") =>
  fc
    .array(fc.nat(of.length - 1), { minLength: length, maxLength: length })
    .map((all) => all.map((at) => of.charAt(at)).join(""));
const hex = (length: number) => digits(length, "0123456789abcdef");
const marks: Readonly<Record<string, fc.Arbitrary<string>>> = {
  time: fc
    .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(3))
    .map(
      ([year, month, day, hour, minute, second, rest]) =>
        `${year}-${month}-${day}T${hour}:${minute}:${second}.${rest}Z`,
    ),
  clock: fc.tuple(digits(2), digits(2), digits(2)).map((parts) => parts.join(":")),
  version: fc.tuple(fc.nat(999), fc.nat(999), fc.nat(999)).map((parts) => parts.join(".")),
  "machine's id": fc.tuple(hex(8), hex(4), hex(4), hex(4), hex(12)).map((parts) => parts.join("-")),
};

test.each(Object.keys(marks))("a %s is shown as cleaning and redaction would leave it", (name) => {
  fc.assert(
    fc.property(marks[name] ?? fc.constant(""), (text) => {
      expect(readableText(text, {})).toBe(text);
      expect(show(text)).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test.each([
  "123456.1234567890123456",
  "1234567890".repeat(13),
  "0123456789abcdef".repeat(4),
  "2026-11-23T10:31:07.000Z 123456.1234567890123456",
  "123456.1234567890123456\n10:31:07",
])("what only looks like a time, a version or an id is redacted all the same: %j", (text) => {
  expect(show(text)).toContain("<redacted:");
});
