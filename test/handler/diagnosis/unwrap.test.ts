import { expect, test } from "@jest/globals";
import { joinWrapped } from "../../../handler/diagnosis/unwrap.ts";

const long = `error execution phase preflight: ${"a made-up reason that is long enough to be broken ".repeat(5)}end`;

function foldAt(text: string, width: number): string {
  return (text.match(new RegExp(`.{1,${width}}`, "gu")) ?? []).join("\n");
}

test.each([80, 120])("joinWrapped puts a line together that was broken at %i", (width) => {
  const text = `first line\n${foldAt(long, width)}\nlast line\n`;
  expect(joinWrapped(text).map((one) => one.text)).toEqual([long]);
});

test("joinWrapped puts a line together that was broken between words", () => {
  const words = "Error: the path '/run/made-up' required for the made-up socket already exists on this machine".split(
    " ",
  );
  const text = `${words.slice(0, 9).join(" ")}\n${words.slice(9).join(" ")}\n`;
  expect(joinWrapped(text)[0]?.text).toBe(words.join(" "));
});

test("joinWrapped leaves a log alone whose lines begin with a time", () => {
  const line = "Apr 02 08:15:00 node-1 kubelet[12]: the same message of the same length";
  expect(joinWrapped(`${line}\n${line}\n${line}\n`)).toEqual([]);
});

test("joinWrapped takes no colour for the width of a screen", () => {
  const line = "\u001B[0;31mE0402 08:15:00.120044 1 made_up.go:7] the same words\u001B[0m";
  const other = "\u001B[0;31mE0402 08:15:01.120044 1 made_up.go:9] other words\u001B[0m";
  expect(joinWrapped(`${line}\n${other}\n${line}\n`)).toEqual([]);
});

test("joinWrapped leaves lines alone that begin alike, whatever their clock", () => {
  const line = (second: number): string =>
    `[   ${second}.451190] cloud-init[1874]: a made-up message that is as long in each of its lines`;
  expect(joinWrapped(`${line(97)}\n${line(98)}\n${line(99)}\n`)).toEqual([]);
});

test("joinWrapped leaves what systemd says on a console to itself", () => {
  const text = `Cloud-init v. 24.1 finished at Thu, 02 Apr 2026 08:15:00 +0000. Datasource Made.\nFAILED Failed to start the scripts.\n`;
  expect(joinWrapped(text)).toEqual([]);
});

test("a line with the kernel's clock is no rest of the one before it", () => {
  const line = "Apr 02 08:15:10 node-1 made-up[5]: Selected the made-up source";
  expect(joinWrapped(`${line}\n${line.replace("up s", "in s")}\n[   18.1] made up\n`)).toEqual([]);
});
