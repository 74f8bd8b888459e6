import { readdir, readFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import * as v from "valibot";
import { parseAllDocuments } from "yaml";

const unitStates = ["active", "failed", "starting", "restarting", "inactive"] as const;
const unitsSchema = v.record(v.string(), v.picklist(unitStates));
const processSchema = v.object({
  pid: v.number(),
  name: v.string(),
  startedAt: v.number(),
  /** Behind the program's name. */
  args: v.optional(v.string()),
  /** In a container: it has a root of its own. */
  container: v.optional(v.boolean()),
});
const processesSchema = v.record(v.string(), v.array(processSchema));

/** What a machine is given on top of its files. Times are seconds after boot; before it they are negative. */
const machineSchema = v.object({
  units: v.optional(unitsSchema),
  processes: v.optional(processesSchema),
  times: v.optional(v.record(v.string(), v.number())),
  uptime: v.optional(v.number()),
});

const stepSchema = v.object({ ...machineSchema.entries, put: v.optional(v.record(v.string(), v.string())) });

const verdictSchema = v.object({
  verdict: v.picklist(["success", "failed", "waiting"]),
  reason: v.optional(v.string()),
  stage: v.optional(v.string()),
  messageContains: v.optional(v.string()),
  facts: v.optional(v.record(v.string(), v.string()), {}),
  providers: v.optional(v.array(v.string())),
});

const scenarioSchema = v.object({
  ...machineSchema.entries,
  /** Unless the file is named for its only scenario. */
  name: v.optional(v.string()),
  what: v.string(),
  provider: v.string(),
  state: v.string(),
  hostname: v.string(),
  platform: v.optional(v.picklist(["linux", "windows"]), "linux"),
  /** The setting bootstrapProvider. */
  setting: v.optional(v.string(), "auto"),
  runIsTmpfs: v.optional(v.boolean(), true),
  executable: v.optional(v.array(v.string()), []),
  steps: v.optional(v.array(stepSchema), []),
  /** A folder of test/fixtures/machines. */
  machine: v.string(),
  /** What differs from it, by path: a text, or the name of one of test/fixtures/contents. */
  files: v.optional(v.record(v.string(), v.union([v.string(), v.object({ content: v.string() })])), {}),
  without: v.optional(v.array(v.string()), []),
  /** Symbolic links: where each leads, as the machine writes it. */
  links: v.optional(v.record(v.string(), v.string()), {}),
  /** One verdict for the machine as it is, then one after each step. */
  expected: v.array(verdictSchema),
});

export type ScenarioProcess = v.InferOutput<typeof processSchema>;
export type Machine = v.InferOutput<typeof machineSchema>;
export type ScenarioStep = v.InferOutput<typeof stepSchema>;
export type ExpectedVerdict = v.InferOutput<typeof verdictSchema>;

export interface Scenario extends Omit<v.InferOutput<typeof scenarioSchema>, "name" | "machine" | "files" | "without"> {
  readonly name: string;
  /** Texts of the machine's files by their paths below its root. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Every scenario, sorted by name. One says what differs from one of the machines beside it (`../machines/NAME`), and what the check must
 * say. A file holds the scenarios of one provider as YAML documents, or one scenario, whose name is then the file's. A text that several
 * share lies in `../contents`.
 */
export async function readScenarios(folder: string): Promise<readonly Scenario[]> {
  const [machines, contents] = await Promise.all([
    readTrees(join(folder, "../machines")),
    readTree(join(folder, "../contents")),
  ]);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml"));
  const written = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const scenarios = files.flatMap((file, index) =>
    documentsOf(file, written[index] ?? "").map((document) => {
      const { name = basename(file, ".yaml"), ...rest } = v.parse(scenarioSchema, document);
      return completed({ name, ...rest }, { machines, contents });
    }),
  );
  const twice = scenarios.find(({ name }, index) => scenarios.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new Error(`${folder} holds two scenarios with the name ${twice.name}`);
  return scenarios.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function documentsOf(file: string, text: string): readonly unknown[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message}`);
    return document.toJS() as unknown;
  });
}

type Files = Readonly<Record<string, string>>;

interface Library {
  readonly machines: ReadonlyMap<string, Files>;
  readonly contents: Files;
}

type Written = v.InferOutput<typeof scenarioSchema> & { readonly name: string };

/** The scenario with all files of its machine. */
function completed({ machine, files, without, ...scenario }: Written, { machines, contents }: Library): Scenario {
  const { name } = scenario;
  const base = machines.get(machine);
  if (base === undefined) {
    throw new Error(`${name} is of the machine "${machine}", but there are only: ${[...machines.keys()].join(", ")}`);
  }
  const strangers = without.filter((file) => base[file] === undefined);
  if (strangers.length > 0)
    throw new Error(`${name} leaves out what "${machine}" does not have: ${strangers.join(", ")}`);
  const kept = Object.entries(base).filter(([file]) => !without.includes(file));
  const own = Object.entries(files).map(([file, text]) => [
    file,
    typeof text === "string" ? text : shared(contents, text),
  ]);
  return { ...scenario, files: Object.fromEntries([...kept, ...own]) as Files };
}

function shared(contents: Files, { content }: { readonly content: string }): string {
  const text = contents[content];
  if (text === undefined) throw new Error(`test/fixtures/contents has no ${content}`);
  return text;
}

async function readTrees(folder: string): Promise<ReadonlyMap<string, Files>> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return new Map(await Promise.all(names.map(async ({ name }) => [name, await readTree(join(folder, name))] as const)));
}

async function readTree(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = paths.map(async (path) => [relative(folder, path), await readFile(path, "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}
