import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { errorCodes } from "../handler/errors/error-codes.ts";
import { explain } from "../handler/explain/explain.ts";
import { parseSettings } from "../handler/settings/parse-settings.ts";
import { settingRows } from "../handler/settings/schema.ts";
import { staleFiles } from "../scripts/dev/generate.ts";
import { anchorsOf, linksOf, markdownFiles, snippetsOf, type Snippet } from "./support/markdown.ts";
import { ownSchema } from "./support/schema-validator.ts";

const repository = join(import.meta.dirname, "..");
const pages = markdownFiles(repository);
const read = (path: string): string => readFileSync(join(repository, path), "utf8");

type Named = readonly [string, Snippet];
const snippets: readonly Named[] = pages.flatMap((page) =>
  snippetsOf(read(page)).map((snippet) => [`${page}:${String(snippet.line)}`, snippet] as const),
);
const inLanguage = (...languages: readonly string[]): Named[] =>
  snippets.filter(([, { language }]) => languages.includes(language));

test("every snippet has a language that is checked below", () => {
  const checked = ["yaml", "json", "json settings", "sh", "text", "powershell", "mermaid"];
  expect(snippets.filter(([, { language }]) => !checked.includes(language)).map(([place]) => place)).toEqual([]);
});

describe("YAML in the pages", () => {
  test.each(inLanguage("yaml"))("%s fits the schema of its kind, and its settings are right", (_, { text }) => {
    for (const document of parseAllDocuments(text)) {
      expect(document.errors).toEqual([]);
      const value: unknown = document.toJS();
      const kind = kindOf(value);
      if (kind !== undefined) expect(ownSchema(kind.file, kind.definition)(value)).toEqual([]);
      const lists = valuesUnder("vmExtensions", value);
      expect(kind !== undefined || lists.length > 0).toBe(true);
      for (const list of lists) expect(ownSchema("common", "vmExtensions")(list)).toEqual([]);
      for (const settings of valuesUnder("settings", value)) expectGoodSettings(settings);
    }
  });
});

describe("JSON in the pages", () => {
  test.each(inLanguage("json", "json settings"))("%s is JSON", (_, { text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test.each(inLanguage("json settings"))(
    "%s holds settings that the handler takes without a warning",
    (_, { text }) => {
      expectGoodSettings(JSON.parse(text));
    },
  );
});

test("a package file that a page names is one that this version builds", () => {
  const version = String((JSON.parse(read("package.json")) as { readonly version?: unknown }).version);
  const named = pages.flatMap((page) =>
    [
      ...read(page).matchAll(
        /CAPZ\.(?:Linux|Windows)\.Bootstrapping-(?<version>\d[\d.]*)\.zip|capz-bootstrap-\w+\/versions\/(?<application>[\d.]+)/gu,
      ),
    ].map(({ groups }) => `${page}: ${groups?.["version"] ?? groups?.["application"] ?? ""}`),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((one) => !one.endsWith(` ${version}`))).toEqual([]);
});

describe("commands in the pages", () => {
  test.each(inLanguage("sh"))("%s is POSIX shell", (_, { text }) => {
    const result = spawnSync("/bin/sh", ["-n"], { input: text, encoding: "utf8" });
    expect(result).toMatchObject({ status: 0, stderr: "" });
  });

  test.each(inLanguage("sh").filter(([, { text }]) => text.includes("capz-bootstrap")))(
    "%s uses commands and options that the program has",
    (_, { text }) => {
      expect(callsIn(text).filter((call) => !isKnownCall(call))).toEqual([]);
    },
  );

  test("an option that does not exist is found", () => {
    expect(
      callsIn("x | capz-bootstrap explain - --yaml\ncapz-bootstrap mend").filter((call) => !isKnownCall(call)),
    ).toEqual(["explain - --yaml", "mend"]);
    expect(
      callsIn("sudo bin/capz-bootstrap explain - --json; capz-bootstrap settings check x.json").every(isKnownCall),
    ).toBe(true);
  });

  test.each(inLanguage("sh").filter(([, { text }]) => text.includes("npm run ")))(
    "%s runs scripts that exist",
    (_, { text }) => {
      const scripts: unknown = valuesUnder("scripts", JSON.parse(read("package.json")))[0];
      for (const name of wordsBehind("npm run ", text)) expect(scripts).toHaveProperty([name]);
    },
  );
});

describe("messages in the pages", () => {
  const messages = inLanguage("text").flatMap(([place, { text }]) =>
    text
      .split("\n")
      .filter((line) => /^(?:Bootstrap|Waiting for bootstrap)/.test(line))
      .map((line) => [place, line] as const),
  );

  test.each(messages)("%s shows a line that the program can write: %s", async (_, line) => {
    expect(line.length).toBeLessThanOrEqual(200);
    const explanation = await explain(line);
    expect(explanation.kind === "explained" && explanation.answers[0]?.outcome).not.toBe("unknown");
  });
});

describe("links in the pages", () => {
  test.each(pages)("%s has no dead link", (page) => {
    const dead = linksOf(read(page)).filter((link) => !/^(?:https?|mailto):/.test(link) && !resolves(page, link));
    expect(dead).toEqual([]);
  });

  test("a dead link and a dead anchor are found", () => {
    expect(resolves("docs/attach.md", "nowhere.md")).toBe(false);
    expect(resolves("docs/attach.md", "healing.md#no-such-heading")).toBe(false);
    expect(resolves("docs/attach.md", "healing.md#control-planes")).toBe(true);
  });

  test("every page for users is reached from docs/README.md", () => {
    const linked = new Set(linksOf(read("docs/README.md")).map((link) => normalize(join("docs", link))));
    const orphans = pages.filter(
      (page) => /^docs\/[^/]+$/.test(page) && page !== "docs/README.md" && !linked.has(page),
    );
    expect(orphans).toEqual([]);
  });
});

describe("generated files", () => {
  test("are what their sources make of them", async () => {
    expect(await staleFiles({ write: false })).toEqual([]);
    // It only guards against a hang: all pages are made anew, and other tests run beside it.
  }, 300_000);

  test("the page of codes has every code and the page of settings every setting", () => {
    const codes = read("docs/codes.md");
    for (const { number, reason } of Object.values(errorCodes)) {
      expect(codes).toMatch(new RegExp(`\\|\\s+${String(number)} \\| \`${reason}\``));
    }
    const settings = read("docs/settings.md");
    for (const name of Object.keys(settingRows)) expect(settings).toContain(`### \`${name}\``);
  });
});

test("the pages do not use settings that do not exist", () => {
  const known = new Set([...Object.keys(settingRows), ...notSettings]);
  const unknown = ["quick-start", "attach", "healing", "operations", "upgrade", "cloned-images"].flatMap((page) =>
    codeWords(read(`docs/${page}.md`))
      .filter((word) => /^(?:check|timeout|poll|grace|aftercare|report|echo)[A-Z]\w+$/.test(word) && !known.has(word))
      .map((word) => `${page}: ${word}`),
  );
  expect(unknown).toEqual([]);
});

const notSettings: readonly string[] = [];

function kindOf(value: unknown): { readonly file: "capz" | "capi"; readonly definition: string } | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("apiVersion" in value)) return undefined;
  const [group = "", version = ""] = String(value.apiVersion).split("/");
  return {
    file: group.startsWith("infrastructure.") ? "capz" : "capi",
    definition: `${String(value.kind)}/${version}`,
  };
}

function expectGoodSettings(settings: unknown): void {
  const parsed = parseSettings({ publicSettings: settings, protectedSettings: null });
  expect(parsed).toMatchObject({ kind: "valid", warnings: [] });
}

/** Everything that stands under a key, at any depth. */
function valuesUnder(key: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === key ? [inner] : valuesUnder(key, inner)));
}

/** The arguments of each call of our program, up to the end of the simple command. */
function callsIn(shell: string): readonly string[] {
  return shell
    .replaceAll("\\\n", " ")
    .split(/[|;&\n()]+/)
    .map((command) => command.trim().split(/\s+/))
    .map((words) => (words[0] === "sudo" ? words.slice(1) : words))
    .filter(([program = ""]) => basename(program) === "capz-bootstrap")
    .map((words) => words.slice(1).join(" "));
}

const cli = readFileSync(join(repository, "handler", "cli.ts"), "utf8");

/** Commands and options as handler/cli.ts declares them, each command with what stands between it and the next. */
function isKnownCall(call: string): boolean {
  const [name = "", ...words] = call.split(/\s+/);
  const agentCommands = ["install", "enable", "disable", "update", "uninstall"];
  if (name.startsWith("--")) return ["--help", "--version"].includes(name);
  if (agentCommands.includes(name)) return true;
  const start = cli.indexOf(`.command("${name}")`);
  if (start === -1) return false;
  const end = cli.indexOf("\nfunction ", start);
  const declaration = cli.slice(start, end === -1 ? undefined : end);
  return words
    .filter((word) => word.startsWith("--"))
    .every(
      (option) =>
        option === "--help" ||
        declaration.includes(`"${option}"`) ||
        declaration.includes(`"${option} `) ||
        declaration.includes(`'${option} `),
    );
}

/** The first word behind each prefix that is not an option. */
function wordsBehind(prefix: string, text: string): readonly string[] {
  return text
    .split(prefix)
    .slice(1)
    .map((rest) => rest.split(/[\s;&|)]+/).find((word) => !word.startsWith("-")) ?? "");
}

function codeWords(markdown: string): readonly string[] {
  return markdown.split("`").flatMap((part, index) => (index % 2 === 1 ? part.split(/\W+/) : []));
}

function resolves(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(repository, target))) return false;
  return anchor === undefined || !target.endsWith(".md") || anchorsOf(read(target)).has(anchor);
}

test("YAML that only looks right is refused", () => {
  const bad: unknown = parse(
    "vmExtensions:\n  - name: CAPZ.Linux.Bootstrapping\n    publisher: P\n    version: '1.0'\n    settings: {timeoutSeconds: 900}\n",
  );
  expect(ownSchema("common", "vmExtensions")(valuesUnder("vmExtensions", bad)[0])).not.toEqual([]);
});
