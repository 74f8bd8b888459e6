import { describe, expect, test } from "@jest/globals";
import { hideAnnounced, hideSecretObject } from "../../../handler/text/redact-documents.ts";
import { readingsOf, typedPipes, wrappedLines } from "../../../handler/text/redact-readings.ts";
import { hideTables } from "../../../handler/text/redact-tables.ts";
import { redactLines } from "../../../handler/text/redact.ts";
import { show } from "./show-anew.ts";

const key = "MIIB0123456789abcdef";
const digits = "0123456789abcdef".repeat(4);

/** Of a text without the prefixes of a log. */
const hideColumns = (lines: readonly string[]) => hideTables(lines, () => "");

/** A line each: what stands in the log, and what may be shown of it. */
function expectLines(rows: readonly (readonly [string, string])[]): void {
  const shown = rows.map(([, line]) => line).join("\n");
  expect(show(rows.map(([given]) => given).join("\n"))).toBe(shown);
}

test("the list below chpasswd hides each password up to the end of the list", () => {
  expectLines([
    ["chpasswd:", "chpasswd:"],
    ["  list: |", "  list: |"],
    ["    root:Zx9Qw7Lm", "    root:<redacted:password>"],
    ["", ""],
    ["    - 'bob:two words", "    - 'bob:<redacted:password>"],
    ["    - expire: false", "    - expire: false"],
    ["user:Zx9Qw7Lm", "user:Zx9Qw7Lm"],
    ["  root:Zx9Qw7Lm", "  root:Zx9Qw7Lm"],
  ]);
});

test.each(["not chpasswd:", "chpasswd: false"])("a line that only mentions chpasswd begins no list: %s", (line) => {
  expect(show(`${line}\n  root:plain`)).toBe(`${line}\n  root:plain`);
});

test.each(["password: |", "  password: |", "- 'password': >-", '  - "password": |2  ', "db.password:   |+"])(
  "every line of a block is hidden up to the first that is indented no more: %s",
  (head) => {
    expectLines([
      [head, head],
      ["      Zx9 Qw7Lm", "      <redacted:secret>"],
      ["", ""],
      ["       more", "       <redacted:secret>"],
      ["a: b", "a: b"],
      ["      plain", "      plain"],
    ]);
  },
);

test("a block's head itself, in the place of a line of the block, ends it", () => {
  expectLines([
    ["  password: |", "  password: |"],
    ["    Zx9", "    <redacted:secret>"],
    ["  plain: |", "  plain: |"],
    ["    text", "    text"],
  ]);
});

test("a binary block is hidden as any other", () => {
  expect(redactLines("password: !!binary  |\n  Zx9 Qw7").split("\n").at(-1)).toBe("  <redacted:secret>");
});

test.each(["content: |", "note password: | and more", "x password: |"])("this begins no secret block: %s", (head) => {
  expect(show(`${head}\n  plain text`)).toBe(`${head}\n  plain text`);
});

test("a name at the end of its line hides the one word below it, also behind empty lines, and nothing after", () => {
  expectLines([
    ["Password:", "Password:"],
    ["   ", "   "],
    ["  Zx9Qw7Lm", "  <redacted:password>"],
    ["Zx9Qw7Lm", "Zx9Qw7Lm"],
  ]);
});

test.each(["usual words", "short", "word", "name: Zx9Qw7Lm", "[section9]", "<redacted:token>"])(
  "what is no single odd word below a name stays: %s",
  (below) => {
    expect(show(`Password:\n  ${below}\nZx9Qw7Lm`)).toBe(`Password:\n  ${below}\nZx9Qw7Lm`);
  },
);

test.each([
  ["- name: API_TOKEN", "  value: Zx9Qw7Lm", "  value: <redacted:token>"],
  ["- name: 'API_TOKEN'", "  value: 'Zx9Qw7Lm' # why", "  value: '<redacted:token>' # why"],
  ['  "name": "API_TOKEN",', '  "value": "Zx9Qw7Lm",', '  "value": "<redacted:token>",'],
  ['"name":"API_TOKEN"', '"value":Zx9Qw7Lm', '"value":<redacted:token>'],
  ["- name: API_TOKEN", "  value:Zx9Qw7Lm", "  value:<redacted:token>"],
  ["<ApiToken>", "  <Value>Zx9Qw7Lm</Value>", "  <Value><redacted:token></Value>"],
  ["the API_TOKEN =", "  Zx9Qw7Lm", "  <redacted:token>"],
  ['| "API_TOKEN": "', "  Zx9Qw7Lm", "  <redacted:token>"],
  ["- name: PLAIN", "  value: Zx9Qw7Lm", "  value: Zx9Qw7Lm"],
  ["my name: API_TOKEN", "  value: x9", "  value: x9"],
])("what stands below %s is hidden where it is a secret's value", (above, below, shown) => {
  expect(show(`${above}\n${below}`)).toBe(`${above}\n${shown}`);
});

test("a certificate key below its announcement is hidden behind a log's prefix; other digests stay", () => {
  expect(show(`Using certificate key:\n[upload] ${digits} end`)).toBe(
    "Using certificate key:\n[upload] <redacted:certificate-key> end",
  );
  expect(show(`Using secret key:\n[upload] ${digits} end`)).toContain(digits);
  expect(show(`Using certificate key:\n[upload] none`)).toBe("Using certificate key:\n[upload] none");
});

test("what stands before and behind a private key is still shown, and still searched", () => {
  expect(show(`a -----BEGIN RSA PRIVATE KEY-----${key}-----END RSA PRIVATE KEY----- z`)).toBe(
    "a <redacted:private-key> z",
  );
  expectLines([
    [`token=Zx9Qw7Lm -----BEGIN RSA PRIVATE KEY-----${key}`, "token=<redacted:token> <redacted:private-key>"],
    ["any text", "<redacted:private-key>"],
    [`${key}-----END RSA PRIVATE KEY----- password=Zx9Qw7Lm`, "<redacted:private-key> password=<redacted:password>"],
    ["any text", "any text"],
  ]);
});

test("a private key whose begin was cut off is hidden from its first line of base64 to its end, and no further", () => {
  expectLines([
    ["some words", "some words"],
    [`[out]: ${key}`, "[out]: <redacted:private-key>"],
    [`${key}==`, "<redacted:private-key>"],
    ["-----END RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"],
    [key, key],
  ]);
  expect(show(`${key}\n-----END RSA PRIVATE KEY-----`)).not.toContain(key);
});

test("base64 above the begin of a key, and base64 without any key, stays", () => {
  expect(show(`${key}\n-----BEGIN RSA PRIVATE KEY-----\nx`)).toContain(key);
  expect(show(`${key}\n${key}`)).toBe(`${key}\n${key}`);
});

test("base64 further above a cut key's end than any key is long stays", () => {
  const lines = show(`${`${key}\n`.repeat(300)}-----END PRIVATE KEY-----`).split("\n");
  expect(lines.filter((line) => line === key)).toHaveLength(40);
});

test("a key that never ends is given up after as many lines as the longest key has", () => {
  const lines = show(`-----BEGIN PRIVATE KEY-----${"\nplain words".repeat(300)}`).split("\n");
  expect(lines.filter((line) => line === "plain words")).toHaveLength(41);
});

test("what a line names as secret is hidden in the lines that use it without its name, an id that may be anybody's is not", () => {
  expectLines([
    ["+ mysqladmin ping q7Rw2mXk9TzB", "+ mysqladmin ping <redacted:password>"],
    ["+ DB_PASS=q7Rw2mXk9TzB", "+ DB_PASS=<redacted:password>"],
    ["+ /opt/app/setup prod q7Rw2mXk9TzB eu", "+ /opt/app/setup prod <redacted:password> eu"],
    ["+ APP_SECRET=worker-1", "+ APP_SECRET=<redacted:secret>"],
    ["+ ping worker-1", "+ ping worker-1"],
  ]);
});

const mark = "<redacted:secret>";

/** ⟦ and ⟧ stand around what must be hidden. */
function expectHidden(hidden: (lines: readonly string[]) => readonly string[], rows: string, kind = "secret"): void {
  const given = rows.replaceAll(/[⟦⟧]/gu, "").split("\n");
  expect(hidden(given).join("\n")).toBe(rows.replaceAll(/⟦[^⟧]*⟧/gu, `<redacted:${kind}>`));
}

test.each([
  "- path: /etc/app/api-token\n  owner: root\n  content: ⟦Zx9 Qw7⟧\n- path: /etc/motd\n  content: Zx9",
  "- content: |\n    ⟦Zx9 one⟧\n    ⟦two⟧\n\n    ⟦three⟧\n  path: /root/.netrc\n  mode: x\n- content: plain\n  path: /etc/motd",
  "apiVersion: v1\ndata:\n  a: ⟦Zx9⟧\n  \"b\":   '⟦two words⟧'\nkind: Secret\nmetadata:\n  name: x\n---\nkind: ConfigMap\ndata:\n  a: Zx9",
  "kind: ConfigMap\ndata:\n  a: keep\n---\nkind: Secret\ndata:\n  a: ⟦Zx9⟧",
  "items:\n- kind: Secret\n  stringData:\n    a: ⟦Zx9⟧\n    - ⟦Zx9⟧\n    b: >-\n      ⟦c⟧\n    d: |+  \n    e: ⟦|x⟧\n    f: |\n- kind: ConfigMap\n  data:\n    a: keep",
  "other: Zx9\nitems:\n  - data:\n      a: ⟦Zx9⟧\n    kind: Secret\n    type: Opaque\n  - data:\n      a: keep\nend: Zx9",
  "path: /etc/motd\ncontent: Zx9",
])("what a line of YAML says of its neighbours is heeded in its own item: %j", (rows) => {
  expectHidden(hideAnnounced, rows);
});

test("a neighbour is looked for no further than an item is long, on either side", () => {
  const between = (count: number) => "k: v\n".repeat(count);
  expectHidden(hideAnnounced, `path: /etc/token\n${between(98)}content: ⟦Zx9⟧`);
  expectHidden(hideAnnounced, `path: /etc/token\n${between(99)}content: Zx9`);
  expectHidden(hideAnnounced, `content: ⟦Zx9⟧\n${between(99)}path: /etc/token`);
  expectHidden(hideAnnounced, `content: Zx9\n${between(100)}path: /etc/token`);
});

test.each([
  'name,password,host\nbob,⟦Zx9Qw7Lm⟧,h1\n"eve","⟦Zx9 Qw7⟧",h2\nnone,,h3\nx, ⟦%⟧ ,h\nshort,row\nx,Zx9Qw7Lm,h',
  "name\tpassword\nbob\t⟦Zx9Qw7Lm⟧\n\nbob\tZx9Qw7Lm",
  "name;host\nbob;Zx9Qw7Lm",
  "name,password",
  "some,password,here now\nx,Zx9Qw7Lm,y",
])("the column of a table below a secret's name is hidden up to the table's end: %j", (rows) => {
  expectHidden(hideColumns, rows, "password");
});

test("a table has so many rows, and no row and no head of any length", () => {
  const head = "name,password\n";
  expectHidden(hideColumns, `${head}${"x,⟦Zx9Qw7Lm⟧\n".repeat(1000)}x,Zx9Qw7Lm`, "password");
  expectHidden(hideColumns, `${head}x,⟦${"Zx9".padEnd(3997, "a")}⟧`, "password");
  expectHidden(hideColumns, `${head}x,${"Zx9".padEnd(3998, "a")}`, "password");
  const wide = (last: number) => `password,${"a".repeat(39)}${`,${"b".repeat(39)}`.repeat(13)},${"c".repeat(last)}`;
  expect([wide(32).length, wide(31).length]).toEqual([601, 600]);
  expectHidden(hideColumns, `${wide(32)}\nZx9Qw7Lm${",x".repeat(15)}`, "password");
  expectHidden(hideColumns, `${wide(31)}\n⟦Zx9Qw7Lm⟧${",x".repeat(15)}`, "password");
});

test.each([
  '{"kind":"Secret","data":{"a":"⟦Zx9⟧","b": "⟦two words⟧"},"x":"y"}',
  '{"data":{"a":"⟦Zx9⟧"},"kind": "Secret"}',
  String.raw`{\"kind\":\"Secret\",\"stringData\":{\"a\":\"⟦Zx9⟧\"}}`,
  '{"kind":"ConfigMap","data":{"a":"Zx9"},"of":"Secret"}',
])("of a Secret in a line of JSON every value is hidden, of nothing else: %s", (row) => {
  expectHidden((lines) => lines.map(hideSecretObject), row);
});

test.each([
  ["no command", []],
  ['["curl", "-u",   "bob:Zx9"]', ["  curl -u bob:Zx9  "]],
  ["[curl,-u,bob:Zx9]", [" curl -u bob:Zx9 "]],
  ['a0="curl" a1="-u"  a12="bob:Zx9"', ["a0= curl -u bob:Zx9 "]],
  ["printf 'token: %s %s\\n' Zx9 \"a b\"", ["token: Zx9 a b\n"]],
  ["printf 'token' Zx9", []],
  ["say 'token: %s' Zx9", []],
  ["sed 's|@@ TOKEN @@ x|Zx9|'", ["TOKEN_x=Zx9\nZx9"]],
  ["sed s/change-me/Zx9/", ["password=Zx9\nZx9"]],
  ["sed s/replaceme/Zx9/", ["password=Zx9\nZx9"]],
  ["$x -replace '__PIN__', 'Zx9'", ["__PIN__=Zx9\nZx9"]],
  ["print s/a/b/", []],
  ["(echo Zx9; echo b) | smbpasswd", ["echo Zx9 | smbpasswd\n echo b | smbpasswd"]],
  ["(ls) | wc", []],
])("what a line says besides to who runs its commands: %s", (line, readings) => {
  expect(readingsOf(line)).toEqual(readings);
});

test.each([
  [["+ echo Zx9", "+ passwd --stdin bob"], [[0, "+ echo Zx9 | passwd --stdin bob"]]],
  [["+ passwd bob", "+ printf Zx9"], [[1, "+ printf Zx9 | passwd bob"]]],
  [["+ echo Zx9", "+ ls"], []],
  [["+ ls", "+ passwd bob"], []],
  [
    [`+ echo ${"a".repeat(993)}`, `+ passwd ${"b".repeat(300)}`],
    [[0, `+ echo ${"a".repeat(993)} | passwd ${"b".repeat(193)}`]],
  ],
  [[`+ echo ${"a".repeat(994)}`, "+ passwd bob"], []],
])("a traced print beside a traced reader of passwords is one command: %j", (lines, typed) => {
  expect([...typedPipes(lines)]).toEqual(typed);
});

const full = (width: number, line = "") => line.padEnd(width, "7");

test.each([
  ["two lines of a terminal's width", ["x", full(80), "9bc end", "other"], [[1, 80, 2]]],
  ["two of any other width", [full(81), "9bc end"], []],
  ["three of any width", [full(81), full(81), "9bc end"], [[0, 81, 3]]],
  ["the narrowest", [full(60), full(60), "9"], [[0, 60, 3]]],
  ["narrower", [full(59), full(59), "9"], []],
  ["the widest", [full(200), full(200), "9"], [[0, 200, 3]]],
  ["wider", [full(201), full(201), "9"], []],
  ["as long as the first", [full(80), full(80)], [[0, 80, 2]]],
  ["longer than the first", [full(80), full(81)], []],
  ["a line that begins with a time", [full(80), "2026-11-21 x"], []],
  ["a line that begins as sentences do", [full(80), "plain words"], []],
  ["a first line that ends with a blank", [full(79).concat(" "), "9bc"], []],
  [
    "more than any line is",
    Array.from({ length: 102 }, () => full(80)),
    [
      [0, 80, 100],
      [100, 80, 2],
    ],
  ],
] as const)("lines that a width has broken are one again: %s", (_what, lines, found) => {
  const wrapped = wrappedLines(lines);
  expect(wrapped.map(({ first, width, count }) => [first, width, count])).toEqual(found);
  for (const { first, count, text } of wrapped) expect(text).toBe(lines.slice(first, first + count).join(""));
});

test.each([
  ["stringData:", "  a: Zx9 Qw7", `  a: ${mark}`],
  ["  stringData:  ", "    a: 'Zx9'", `    a: '${mark}'`],
  ["x stringData:", "    a: word", "    a: word"],
  ["stringData: x", "  a: word", "  a: word"],
  ["stringData:", "a: word", "a: word"],
  ["Set the following 'random' passwords", "bob:Zx9Qw7", "bob:<redacted:password>"],
  ["Set the following random passwords  ", "bob:Zx9Qw7", "bob:<redacted:password>"],
  ["Set the following random passwords here", "bob:words", "bob:words"],
  ["chpasswd << 'EOF'", "bob:horses", "bob:<redacted:password>"],
  ["sudo chpasswd -e <<-EOF  ", "bob:horses", "bob:<redacted:password>"],
  ["chpasswd <<EOF here", "bob:horses", "bob:horses"],
])("behind %j a line is read as what it begins: %j", (head, given, shown) => {
  expect(redactLines(`${head}\n${given}`)).toBe(`${head}\n${shown}`);
});

test("a document is hidden up to its own end or so many lines, and what comes behind is not", () => {
  expectHidden(
    (lines) => redactLines(lines.join("\n")).split("\n"),
    "password = <<EOT\n  ⟦Zx9 a⟧\n⟦b⟧\n  EOT  \nwords",
  );
  expectHidden((lines) => redactLines(lines.join("\n")).split("\n"), "plain = <<EOT\nwords\nEOT");
  expectHidden(
    (lines) => redactLines(lines.join("\n")).split("\n"),
    " <auth-user-pass>\n⟦bob⟧\n⟦horses⟧\n⟦more⟧\nwords\n</auth-user-pass>",
  );
});

test("behind a sentence that asks for a secret, a line that looks made is hidden, and no other", () => {
  const head = "Use the following password to log in:";
  expect(redactLines(`${head}\n  Zx9Qw7Lm2Vb4  `)).toBe(`${head}\n  ${mark}`);
  expect(redactLines(`${head}\n  plain-word7`)).toBe(`${head}\n  plain-word7`);
});

test.each([
  "- name: DB_PASSWORD\n  description: used by app, password=hunter2Xy9",
  '"token": {\n "description": "join with kubeadm join 10.0.0.4:6443 --token abcdef.0123456789abcdef"',
  "Password:\nType: https://bob:s3cretPw9@registry.example.com/v2 failed",
  "user,password\nalice, Hq7xPw92Zt\nbob, Hq7xPw93Zt",
  "host;password\nn1; Hq7xPw92Zt",
])("what is said of a value before it is redacted itself, and so is a row with blanks: %j", (text) => {
  expect(show(text)).not.toMatch(/hunter2Xy9|abcdef\.0123|s3cretPw9|Hq7xPw9/u);
});

describe("a Secret's bytes out of etcd", () => {
  const name = "/registry/secrets/default/db";
  const head = ["k8s", "v1Secret", "app.kubernetes.io/managed-byHelm"];
  const log = [
    "[preflight] Running pre-flight checks",
    "error execution phase preflight",
    "Nov 21 03:14:07 cp-0 kubelet[71]: E1121 failed to run Kubelet",
  ];
  const hidden = (lines: readonly string[]) => lines.map(() => mark);

  test.each([
    "Opaque",
    'Opaque"',
    'kubernetes.io/tls"',
    'bootstrap.kubernetes.io/token"',
    'abckubernetes.io/service-account-token"',
    'helm.sh/release.v1"',
    'cluster.x-k8s.io/secret"',
    'rke.cattle.io/machine-plan"',
  ])("end with their type, and what a log says behind it is read: %s", (type) => {
    const lines = redactLines([name, ...head, `horses${type}`, ...log].join("\n")).split("\n");
    expect(lines).toEqual([name, ...hidden([...head, type]), ...log]);
  });

  test.each([
    ["a label", "app.kubernetes.io/managed-byHelm"],
    ["a type in a file that it holds", '  type: "kubernetes.io/tls"'],
    ["an address in one", '  image: "registry.example.com/app"'],
    ["a shell's mark", "+ echo horses"],
    ["a quotation's mark", "> horses"],
  ])("do not end with %s", (_what, line) => {
    const lines = redactLines([name, "k8s", line, "horses-and-carts"].join("\n")).split("\n");
    expect(lines.at(-1)).toBe(mark);
  });

  test("end with the closed object where they are JSON", () => {
    const lines = redactLines([name, '{"kind":"Secret","data":{"a":"aG9yc2Vz"}}', ...log].join("\n")).split("\n");
    expect(lines).toEqual([name, mark, ...log]);
  });

  test("end where a log's own line begins, or another program speaks, and go on where the same one does", () => {
    expect(redactLines([name, "k8s", log[2] ?? ""].join("\n"))).toBe([name, mark, log[2]].join("\n"));
    const by = (program: string, second: number, text: string) =>
      `Nov 21 03:14:${String(second).padStart(2, "0")} cp-0 ${program}[71]: ${text}`;
    const told = [by("etcdctl", 7, name), by("etcdctl", 8, "k8s"), by("etcdctl", 9, "horses")];
    expect(redactLines([...told, by("kubelet", 10, "horses")].join("\n")).split("\n")).toEqual([
      told[0],
      by("etcdctl", 8, mark),
      by("etcdctl", 9, mark),
      by("kubelet", 10, "horses"),
    ]);
  });
});

test("the rows of a table with more columns than anybody reads are hidden whole, and its head stays", () => {
  const line = (columns: number, word: string) => Array.from({ length: columns }, () => word).join(" ");
  const table = (columns: number) =>
    show([line(columns, "pw"), line(columns, "--"), line(columns, "ab")].join("\n")).split("\n");
  expect(table(40)[2]).toBe(line(40, "<redacted:password>"));
  expect(table(41)).toEqual([line(41, "pw"), line(41, "--"), "<redacted:line>"]);
});
