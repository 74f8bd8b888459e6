import { describe, expect, test } from "@jest/globals";
import { mostSecrets } from "../../../handler/text/mask-secrets.ts";
import { show } from "./show-anew.ts";

const password = "<redacted:password>";
const secret = "<redacted:secret>";
const plain = "user root";

/** As many different passwords in one line. */
const many = (count: number) => lineOf(count, (at) => `password=Kx7Qm${String(1000 + at)}`);
const manyMarks = (count: number) => lineOf(count, () => `password=${password}`);
const lineOf = (count: number, word: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => word(at)).join(" ");

/** A line of a terminal's width that begins and ends so. */
const full = (begin: string, end: string) => begin.padEnd(80 - end.length, "x") + end;

// What is tried, the lines, what is shown of them.
type Row = readonly [what: string, given: string, shown: string];

const neighbours: readonly Row[] = [
  [
    "a password that is like no other, in a line without its name",
    "password=Kx7Qm2Wv9z\nstart Kx7Qm2Wv9z",
    `password=${password}\nstart ${password}`,
  ],
  ["no word that may be anybody's there", "password=horses\nstart horses", `password=${password}\nstart horses`],
  [
    "what was traced before its reader",
    "+ echo horses\n+ passwd --stdin bob",
    `+ echo ${secret}\n+ passwd --stdin bob`,
  ],
  ["… and behind it", "+ passwd --stdin bob\n+ echo horses", `+ passwd --stdin bob\n+ echo ${secret}`],
  [
    "the rest of a password in the line into which it was wrapped",
    `${full("a ", "password=sunday")}\n9bcKx7Qm more`,
    `${full("a ", "password=sunday").replace(/sunday$/, password)}\n${secret} more`,
  ],
  [
    "of a line with the end of one and the begin of another, both",
    `${full("a ", "password=Kx7Q")}\n${full("m2Wv9z0 ", "password=Zb1P")}\ns6Lc3Hd more`,
    `${full("a ", "password=Kx7Q").replace(/Kx7Q$/, password)}\n${full("m2Wv9z0 ", "password=Zb1P").replace("m2Wv9z0", secret).replace(/Zb1P$/, password)}\n${secret} more`,
  ],
  [
    "its begin alone wherever it stands in that line",
    `${full("sunday ", "password=sunday")}\n9bc more`,
    `${full("sunday ", "password=sunday").replaceAll("sunday", (_, at) => (at === 0 ? secret : password))}\n9bc more`,
  ],
  [
    "none that ends with the line a second time",
    `${full("sunday ", "password='sunday")}\n'9bc more`,
    `${full("sunday ", "password='sunday").replace(/sunday$/, password)}\n'9bc more`,
  ],
];

const letters: readonly Row[] = [
  ["a name in letters that look like its own", "pаsswоrd=horses", `password=${password}`],
  ["… with a colour in it", "pаss\u001b[1mwоrd=horses", `password=${password}`],
  ["no letters of a line that tells its secret anyhow", "привет token=horses7", "привет token=<redacted:token>"],
  ["no letters of a line without a secret", "привет horses token", "привет horses token"],
];

const literals: readonly Row[] = [
  ["nothing of a line without one", plain, plain],
  [
    "a password behind its name in Python's bytes in XML",
    "<m>b&#39;Password: horses&#39; more</m>",
    `<m>b'Password: ${secret}`,
  ],
  ["what ends with a literal's end", "out: b'password horses7'", `out: b'\npassword ${password}\n'`],
  ["… in a list", "(b'password horses7')", `(b'\npassword ${password}\n')`],
  [
    "what ends with the end of a literal within another",
    String.raw`b'say "x": b\'user,password\\nbob,sunday\'\nmore'`,
    `b'\nsay "x": b'\nuser,password\\nbob,${secret}\n'\nmore\n'`,
  ],
  [
    "each command of a group in the head of who runs it",
    String.raw`{"log":"say\n(echo horses; echo horses) | smbpasswd -s bob"}`,
    String.raw`{"log":"say\n(echo ${secret}; echo ${password} | smbpasswd -s bob"}`,
  ],
  [
    "what shows only where an address is read without its escapes",
    "GET /?line=a%0Apassword%3Dhorses HTTP",
    `GET /?line=a\npassword=${password} HTTP`,
  ],
  [
    "no word that is the end of a secret",
    String.raw`{"log":"a\npassword=xxsunday on sunday"}`,
    String.raw`{"log":"a\npassword=${password} on sunday"}`,
  ],
  [
    "… that begins as an escape would, without a percent sign",
    String.raw`{"log":"a\npassword=4fsunday on sunday"}`,
    String.raw`{"log":"a\npassword=${password} on sunday"}`,
  ],
];

// mount takes what stands behind a percent sign for the password; %4f may as well be the letter O.
const mounts: readonly Row[] = [
  [
    "the rest of a password that begins like an escape, where it is read as one",
    String.raw`{"log":"a\nmount -t cifs //h/s /m -o user=bob%4fKx7Qm2W"}`,
    `{"log":"a\nmount -t cifs //h/s /m -o user=bobO${secret}"}`,
  ],
  [
    "… with other escapes in it",
    String.raw`{"log":"a\nmount -t cifs \/\/h\/s \/m -o user=bob%4fKx\/7Qm2W"}`,
    `{"log":"a\nmount -t cifs //h/s /m -o user=bobO${secret}"}`,
  ],
  [
    "no rest of one that begins unlike an escape",
    String.raw`{"log":"a\nmount -t cifs //h/s /m -o user=bob%xx4fsunday on 4fsunday"}`,
    String.raw`{"log":"a\nmount -t cifs //h/s /m -o user=bob%${secret} on 4fsunday"}`,
  ],
  [
    "… or only half like one",
    String.raw`{"log":"a\nmount -t cifs //h/s /m -o user=bob%4gsunday on sunday"}`,
    String.raw`{"log":"a\nmount -t cifs //h/s /m -o user=bob%${secret} on sunday"}`,
  ],
];

const half = mostSecrets / 2;
const third = Math.floor(mostSecrets / 3);
const counts: readonly Row[] = [
  ["any number in a line without another reading", many(mostSecrets + 1), manyMarks(mostSecrets + 1)],
  ["… with a sign that is no escape", `100 % ${many(half + 1)}`, `100 % ${manyMarks(half + 1)}`],
  ["as many as two readings may tell together", `a\\n${many(half)}`, `a\\n${manyMarks(half)}`],
  ["the whole line, where they tell more", `a\\n${many(half + 1)}`, "<redacted:line>"],
  ["as many as three readings may", `a\\n\u001b[1m${many(third)}`, `a\\n${manyMarks(third)}`],
  ["the whole line, where three tell more", `a\\n\u001b[1m${many(third + 1)}`, "<redacted:line>"],
];

describe.each([
  ["a line's neighbours tell", neighbours],
  ["look-alikes hide", letters],
  ["literals hold", literals],
  ["an escape may be part of", mounts],
  ["there are so many of", counts],
])("of secrets that %s is hidden:", (_, rows) => {
  test.each(rows)("%s", (...[, given, shown]) => {
    expect(show(given)).toBe(shown);
  });
});

test("of the passwords of a whole text the first 200 are looked for in other lines", () => {
  const passwords = Array.from({ length: mostSecrets + 1 }, (_, at) => `Kx7Qm2Wv${String(1000 + at)}`);
  const named = passwords.map((one) => `password=${one}`);
  const bare = [passwords[0], passwords[mostSecrets - 1], passwords[mostSecrets]].map((one) => `start ${one ?? ""}`);
  expect(
    show([...named, ...bare].join("\n"))
      .split("\n")
      .slice(-3),
  ).toEqual([`start ${password}`, `start ${password}`, bare[2]]);
});
