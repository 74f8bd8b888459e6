import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { buildClient } from "../../publish/build-client.ts";
import { markdownFiles, snippetsOf } from "../support/markdown.ts";
import { createPageMachine, type PageMachine } from "./page-machine.ts";
import { pagePlan } from "./page-plan.ts";

/** What an operator does who never sees a node: gets the client as the pages say, and runs their commands with it. */
const repository = join(import.meta.dirname, "..", "..");
const blocks = markdownFiles(repository)
  .flatMap((page) => snippetsOf(readFileSync(join(repository, page), "utf8")).map((snippet) => ({ page, ...snippet })))
  .filter(({ language }) => language === "sh");
const get = blocks.find(({ text }) => text.startsWith("npm install --global"))?.text ?? "";
const atOnce = blocks.find(({ text }) => text.includes("| npx --yes"))?.text ?? "";

const commands = /\bcapz-bootstrap (?<name>[a-z-]+)/gu;
const ofClient = new Set(["explain", "diagnose", "settings", "reason"]);
const runnable = blocks.flatMap(({ page, text, line }) => {
  const planned = pagePlan.find((one) => one.page === page && text.startsWith(one.begins));
  const used = [...text.matchAll(commands)].map(({ groups }) => groups?.["name"] ?? "");
  const suits = used.length > 0 && used.every((name) => ofClient.has(name)) && !text.includes("/var/lib/waagent");
  return planned?.exits === undefined || !suits ? [] : [[`${page}:${String(line)}`, text, planned.exits] as const];
});

let machine: PageMachine;
let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capz-pages-"));
  machine = createPageMachine();
  machine.useClient((await buildClient(folder)).archive);
}, 180_000);
afterAll(() => {
  machine.discard();
  rmSync(folder, { recursive: true });
});

describe("the client, as the pages say to get and use it", () => {
  test("runs at once, with nothing installed", () => {
    expect(machine.run(atOnce).output).toContain("failed (DnsResolutionFailed) in kubeadm join after 74 s");
  }, 60_000);

  test("is installed by the command of the quick start", () => {
    machine.run(get);
    expect(machine.run("capz-bootstrap --version")).toMatchObject({ exits: [0] });
  }, 60_000);

  test("suits the quick start, attach, operations, healing and coming from Custom Script", () => {
    expect([...new Set(runnable.map(([place]) => place.split(":")[0]))].toSorted()).toEqual([
      "docs/attach.md",
      "docs/custom-script.md",
      "docs/healing.md",
      "docs/operations.md",
      "docs/quick-start.md",
      "docs/report.md",
    ]);
  });

  test.each(runnable)(
    "%s",
    (_, text, exits) => {
      const { output, exits: seen } = machine.run(text);
      expect({ seen, output }).toEqual({ seen: exits, output: expect.not.stringMatching(/TypeError|ReferenceError/u) });
    },
    60_000,
  );
});
