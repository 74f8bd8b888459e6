import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { markdownFiles, snippetsOf } from "../support/markdown.ts";
import { createPageMachine, type PageMachine } from "./page-machine.ts";
import { pagePlan } from "./page-plan.ts";

const repository = join(import.meta.dirname, "..", "..");
const snippets = markdownFiles(repository).flatMap((page) =>
  snippetsOf(readFileSync(join(repository, page), "utf8")).map((snippet) => ({ page, ...snippet })),
);
const blocks = snippets
  .filter(
    ({ language, text }) =>
      language === "sh" && /(?:bin\/|\b)capz-bootstrap[* ;]/u.test(text) && !text.includes("npm run "),
  )
  .map((block) => {
    const planned = pagePlan.find((one) => one.page === block.page && block.text.startsWith(one.begins));
    return { ...block, planned };
  });

let machine: PageMachine;
beforeAll(() => {
  machine = createPageMachine();
}, 120_000);
afterAll(() => {
  machine.discard();
});

describe("the commands of the pages, run with the unpacked package", () => {
  test("each has its place in the plan, and the plan names no other", () => {
    expect(blocks.filter(({ planned }) => planned === undefined).map(({ page, text }) => `${page}: ${text}`)).toEqual(
      [],
    );
    const used = blocks.map(({ planned }) => planned);
    expect(pagePlan.filter((one) => !used.includes(one))).toEqual([]);
  });

  // A report must be there before `report` prints it, as on a machine of a user.
  test.each(
    blocks
      .filter(({ planned }) => planned?.exits !== undefined)
      .map(({ page, line, text, planned }) => [`${page}:${String(line)}`, text, planned?.exits ?? []] as const)
      .toSorted(([, a], [, b]) => Number(b.includes("run --settings")) - Number(a.includes("run --settings"))),
  )(
    "%s",
    (_, text, exits) => {
      const { output, exits: seen } = machine.run(text);
      expect({ seen, output }).toEqual({
        seen: exits,
        output: expect.not.stringMatching(/TypeError|ReferenceError|unfolds/u),
      });
    },
    180_000,
  );
});

describe("the help of the program", () => {
  const help = () => machine.run("capz-bootstrap --help").output;

  test("names every command, and each command has its own help", () => {
    const names = [...help().matchAll(/^ {2}(?<name>[a-z]+)(?: \[| <| {2})/gmu)].map(
      ({ groups }) => groups?.["name"] ?? "",
    );
    expect(names).toEqual(expect.arrayContaining(["run", "diagnose", "report", "explain", "settings"]));
    for (const name of names.filter((one) => one !== "help"))
      expect(machine.run(`capz-bootstrap ${name} --help`).exits).toEqual([0]);
  });
});

describe("what the pages show as an answer", () => {
  test("YAML is explained like JSON", () => {
    const yaml = machine.run("capz-bootstrap explain machine.yaml").output;
    expect(yaml).toContain("failed (DnsResolutionFailed) in kubeadm join after 74 s");
  });

  const samples = snippets.filter(({ language }) => language === "text");
  const failures = samples.filter(({ text }) => text.startsWith("Bootstrap failed ("));
  const explained = samples.filter(({ text }) => text.startsWith("instance view, extension "));

  const reported = samples.filter(({ text }) => text.startsWith("Bootstrap reported, "));

  test("each sample is compared here", () => {
    expect(samples.filter((one) => ![...failures, ...explained, ...reported].includes(one))).toEqual([]);
    expect([failures.length, explained.length].map((count) => count > 0)).toEqual([true, true]);
  });

  // The proof of a machine needs Azure's metadata service: the words are held by the golden file, with more parts behind them.
  test.each(reported.map(({ page, text }) => [page, text.trimEnd()] as const))(
    "%s shows facts in the program's words: %s",
    (_, text) => {
      const golden = readFileSync(join(repository, "test/golden/messages.golden.txt"), "utf8");
      expect(golden.split("\n").some((line) => line.startsWith(text))).toBe(true);
    },
  );

  test.each(failures.map(({ page, text }) => [page, text.trimEnd()] as const))(
    "%s shows a failure in the program's words: %s",
    (_, text) => {
      const host = /: (?<host>\S+) cannot be resolved/u.exec(text)?.groups?.["host"] ?? "";
      machine.putFailure("shown", host);
      const lines = machine.run("capz-bootstrap diagnose --root shown").output.split("\n");
      // The logs do not say when the wait began.
      const told = text.replace(/ after \d+ s/u, "").split("\n");
      expect(lines.slice(0, told.length)).toEqual(told);
    },
  );

  test.each(explained.map(({ page, text }) => [page, text.trimEnd()] as const))(
    "%s shows the whole answer of explain: %s",
    (_, text) => {
      const view = text.includes("Bootstrapped in ") ? "good-view.json" : "view.json";
      const { output, exits } = machine.run(`capz-bootstrap explain ${view}`);
      expect({ exits, output: output.trimEnd() }).toEqual({ exits: [0], output: text });
    },
  );
});
