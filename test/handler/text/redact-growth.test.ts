import { expect, test } from "@jest/globals";
import { show } from "../../../handler/text/shown-text.ts";

/** Lines that make an expression look far ahead, or start anew at every place. */
const hostile = [
  " ",
  "\t ",
  "token: ",
  "password=  ",
  'password="',
  'password="/etc/ ',
  "token=/etc/",
  "token=[",
  "eyJ",
  "-----BEGIN ",
  "-----BEGIN RSA PRIVATE KEY-----",
  "a",
  "Aa1+/",
  "sig=",
  "key=",
  "key=a.b.c.",
  "://",
  "://a:b",
  "K10",
  '\\"',
  "\\n",
  "\\\\n",
  "\\x41",
  "%41",
  "&amp;",
  "x@",
  "abc.",
  '"a":"',
  "u0026",
  "-u ",
  "login ",
  "login x -p ",
  "curl -u ",
  "k3s agent ",
  "echo ",
  "echo x | ",
  "<<< ",
  "net use ",
  "machine x ",
  "<a>",
  "<password>",
  "| token ",
  "name=token ",
  "user,password\n",
  '"password","',
  "| user | password\n--+--\n",
  "USER  PASSWORD  \n",
  "NAME  VALUE\n----  -----\ntoken  x y\n",
  '"kind": "Secret",\n',
  "/registry/secrets/a/b\nk8s ",
  "eyJabcdefgh\n",
  'Environment="A=b" "B_TOKEN=',
  '"name":"token","value"',
  "\u001b[",
  "\u001b]",
  "\b",
  "\u202e",
  "#033[",
  "[1;",
  "Authorization: ",
  "data: 'b",
];
const short = 8 * 1024;
const long = 256 * 1024;
const most = 8 * (long / short);

// Work per byte, not time: a line 32 times as long may cost 32 times as much, and quadratic work would cost 1,024 times.
test("the time for a line grows with its length, from 8 KiB to 256 KiB, whatever it is made of", () => {
  const growths = hostile.map((unit) => {
    const once = growthOf(unit, 1);
    // One measurement may hold a compilation or what other processes take from the caches; of three the best does not.
    return once.growth > most ? growthOf(unit, 3) : once;
  });
  const worst = growths.toSorted((a, b) => b.growth - a.growth).slice(0, 5);
  for (const { unit, few, many, growth } of worst) {
    process.stdout.write(
      `redaction of ${JSON.stringify(unit)} repeated: ${few.toFixed(1)} ms for 8 KiB, ${many.toFixed(0)} ms for 256 KiB, ${growth.toFixed(0)} times\n`,
    );
  }
  expect(growths.filter(({ growth }) => growth > most)).toEqual([]);
});

test("127 KiB of blanks, which once took 12 s, cost no more per byte than the words of a log", () => {
  const words = costOf(fill("Nov 21 03:14:07 worker-1 kubelet[812]: token: none ", 127 * 1024), 3);
  const blanks = costOf(`token: x${" ".repeat(127 * 1024)}y`, 3);
  expect(blanks / words).toBeLessThan(10);
});

function growthOf(unit: string, rounds: number) {
  const few = costOf(fill(unit, short), 5);
  const many = costOf(fill(unit, long), rounds);
  return { unit, few, many, growth: many / Math.max(few, 0.2) };
}

function fill(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Milliseconds of processor time, the best of some rounds. */
function costOf(line: string, rounds: number): number {
  return Math.min(
    ...Array.from({ length: rounds }, () => {
      const before = process.cpuUsage();
      show(line);
      const spent = process.cpuUsage(before);
      return (spent.user + spent.system) / 1000;
    }),
  );
}
