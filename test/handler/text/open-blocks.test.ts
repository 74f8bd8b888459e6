import { describe, expect, test } from "@jest/globals";
import { redactLines } from "../../../handler/text/redact.ts";

/** ⟦ and ⟧ stand around what must be hidden. */
function expectHidden(rows: readonly string[], kind: string): void {
  const text = rows.join("\n");
  expect(redactLines(text.replaceAll(/[⟦⟧]/gu, "")).split("\n")).toEqual(
    text.replaceAll(/⟦[^⟧]*⟧/gu, `<redacted:${kind}>`).split("\n"),
  );
}

const times = (count: number, line: string) => Array.from({ length: count }, () => line);

describe("the lines into which a token was broken", () => {
  const begin = "token: ⟦eyJhbGciOiJSUzI1NiJ9.eyJzdWIi⟧";
  test.each([
    ["are hidden up to the first that is none", ["⟦Kx7Qm2Wv9zAb.Cd3Ef⟧", "plain words", "Kx7Qm2Wv9zAb"]],
    ["are hidden between quotes and in front of a shell's mark", ["  '⟦Zb1Ps6Lc3⟧\\", '"⟦Kx7Qm2Wv⟧"']],
    ["are hidden where a dot begins them", ["⟦.Qm2Wv9zAb⟧"]],
    ["end at a name without a capital letter", ["node-name-7", "Kx7Qm2Wv9zAb"]],
    ["end at a name without a digit", ["NodeIsReady", "Kx7Qm2Wv9zAb"]],
    ["end at a line that says more", ["Kx7Qm2Wv9zAb is it", "Kx7Qm2Wv9zAb"]],
    ["end at a short one", ["Kx7Qm2W", "Kx7Qm2Wv9zAb"]],
    ["are so many", [...times(60, "⟦Kx7Qm2Wv⟧"), ...times(2, "Kx7Qm2Wv")]],
  ])("%s", (...[, rows]) => {
    expectHidden([begin, ...rows], "jwt");
  });
});

describe("of a registry's headers", () => {
  test.each([
    [
      "each value that looks made is hidden up to the next table",
      [
        '[plugins."io.containerd.cri.v1.images".registry.headers]',
        '  X-Meta = ["⟦Kx7Qm2Wv9z⟧", "⟦Zb1Ps6Lc3⟧"]',
        "  X-Other = '⟦Kx7Qm2Wv⟧'",
        "  [other]",
        '  X-Meta = ["Kx7Qm2Wv9z"]',
      ],
    ],
    [
      "a kind, a path, a short word and words stay",
      [
        '[host."https://r.example".header]',
        "  X-Kind = ['text/html7Qm']",
        "  X-Path = ['/opt/Ab7']",
        "  X-Short = ['Kx7Qm2W']",
        '  X-Words = ["horses and carts"]',
        '  X-Open = "Kx7Qm2Wv9z',
      ],
    ],
    [
      "so many lines are looked at",
      ['[host."https://r.example".header]', ...times(39, '  x = "⟦Kx7Qm2Wv9z⟧"'), ...times(2, '  x = "Kx7Qm2Wv9z"')],
    ],
  ])("%s", (...[, rows]) => {
    expectHidden(rows, "secret");
  });

  test("a value that its own name tells is hidden, too", () => {
    expectHidden(['[host."https://r.example".header]', "  password = '⟦horses⟧'"], "password");
  });
});

describe("of what stands below the name of a Secret in etcd", () => {
  const name = "/registry/secrets/default/db";
  test.each([
    ["empty lines are none of it", [name, "", "⟦k8s⟧", "  ", "⟦horses⟧"]],
    ["nothing is hidden where it is not what etcd keeps", [name, "plain words", "k8s horses"]],
    ["an object is the whole", [name, '    ⟦{"a":"b"}   ⟧', "horses"]],
    ["what only begins with an object goes on", [name, '⟦{"a":"b"} more⟧', "⟦horses⟧"]],
    ["the next name begins anew", [name, "⟦k8s⟧", "  /registry/secrets/default/other", "words", "horses"]],
    ["so many lines are hidden", [name, "⟦k8s⟧", ...times(59, "⟦horses⟧"), ...times(2, "horses")]],
  ])("%s", (...[, rows]) => {
    expectHidden(rows, "secret");
  });
});

test("each account of a list is hidden up to the first line that is none", () => {
  expectHidden(["chpasswd <<EOF", "bob:⟦horses⟧", "eve:⟦sunday⟧", "other words", "bob:horses"], "password");
});

test("what is said of a value is no value, and may begin another one", () => {
  expectHidden(["Password:", "  type: string", "", "  ⟦horses7K⟧", "  horses7K"], "password");
  expectHidden(["Password:", "  description: Token:", "  ⟦horses7K⟧", "  horses7K"], "token");
});
