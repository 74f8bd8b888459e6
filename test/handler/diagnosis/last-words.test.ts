import { expect, test } from "@jest/globals";
import { generateKeyPairSync } from "node:crypto";
import { EndOfScript } from "../../../handler/diagnosis/last-words.ts";

const lines = Array.from(
  { length: 900 },
  (_, at) => `line ${String(at)} of a script that says much more than is kept of it`,
);
const log = Buffer.from(`${lines.join("\n")}\nregister: no seat is left\n+ exit 3\n`);

test.each([[7], [1000], [16 * 1024], [20_000], [log.length]])(
  "in chunks of %i bytes the end of a log is the same",
  (size) => {
    const end = new EndOfScript();
    for (let at = 0; at < log.length; at += size) end.feed(log.subarray(at, at + size));
    const words = end.lastWords(lines.length + 3);
    expect(words?.text).toBe("register: no seat is left");
    expect(words?.line).toBe(lines.length + 1);
  },
);

test("a line whose beginning is not kept is no last word", () => {
  const end = new EndOfScript();
  end.feed(Buffer.from("x y ".repeat(10_000)));
  expect(end.lastWords(1)).toBeUndefined();
});

/** What the last line but one of a log says, and the last. */
function lastOf(text: string): string | undefined {
  const end = new EndOfScript();
  end.feed(Buffer.from(`register: no seat is left\n${text}\n`));
  return end.lastWords(text.split("\n").length + 2)?.text;
}

test("a line of a key is no last word, whole, without its end and where its beginning is not kept", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString().trimEnd();
  expect(lastOf(key)).toBe("register: no seat is left");
  expect(lastOf(key.split("\n").slice(0, -1).join("\n"))).toBe("register: no seat is left");
  const end = new EndOfScript();
  end.feed(Buffer.from(`${key}\n`.repeat(12)));
  expect(end.lastWords(1)).toBeUndefined();
});

test.each([
  ["what stands below its announcement", "The admin password is:\nVerySecret99xQ", "The admin password is:"],
  ["a value of YAML below its key", "token: |\n  c2VjcmV0LXRva2VuLXZhbHVlLTEyMzQ1Njc4OTA", "register: no seat is left"],
  ["a value that stands alone", "3c27325b2121ec01d527336874e78fc5", "register: no seat is left"],
  [
    "the same with words of a shell",
    "cat > /etc/made-up <<EOF\npassword=\nhunter2Secret9x\nEOF",
    "register: no seat is left",
  ],
  ["one word of the system", "Killed", "Killed"],
  ["words that no blank parts", "権限がありません", "権限がありません"],
])("%s", (_, text, words) => {
  expect(lastOf(text)).toBe(words);
});

test("a bar of progress on the line before changes no place", () => {
  const end = new EndOfScript();
  end.feed(Buffer.from("  0 10k\r 50 10k\r100 10k\nregister: no seat is left\n"));
  expect(end.lastWords(3)).toEqual({ text: "register: no seat is left", line: 2 });
});
