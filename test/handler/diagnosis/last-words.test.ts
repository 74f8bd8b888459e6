import { expect, test } from "@jest/globals";
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
    expect(words?.bytes.toString("utf8")).toBe("register: no seat is left");
    expect(words?.line).toBe(lines.length + 1);
  },
);

test("a line whose beginning is not kept is no last word", () => {
  const end = new EndOfScript();
  end.feed(Buffer.from("x y ".repeat(10_000)));
  expect(end.lastWords(1)).toBeUndefined();
});
