import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";

const unitStates = ["active", "failed", "starting", "restarting", "inactive"] as const;
const unitsSchema = v.record(v.string(), v.picklist(unitStates));
const processSchema = v.object({ pid: v.number(), name: v.string(), startedAt: v.number() });
const processesSchema = v.record(v.string(), v.array(processSchema));

/** What a machine is given on top of the files in `root/`. Times are seconds after boot; before it they are negative. */
const machineSchema = v.object({
  units: v.optional(unitsSchema),
  processes: v.optional(processesSchema),
  times: v.optional(v.record(v.string(), v.number())),
  uptime: v.optional(v.number()),
});

const stepSchema = v.object({ ...machineSchema.entries, put: v.optional(v.record(v.string(), v.string())) });

const scenarioSchema = v.object({
  ...machineSchema.entries,
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
});

const verdictSchema = v.object({
  verdict: v.picklist(["success", "failed", "waiting"]),
  reason: v.optional(v.string()),
  stage: v.optional(v.string()),
  messageContains: v.optional(v.string()),
  facts: v.optional(v.record(v.string(), v.string()), {}),
  providers: v.optional(v.array(v.string())),
});

const expectedSchema = v.union([
  v.pipe(
    v.object({ steps: v.array(verdictSchema) }),
    v.transform(({ steps }) => steps),
  ),
  v.pipe(
    verdictSchema,
    v.transform((verdict) => [verdict]),
  ),
]);

export type Machine = v.InferOutput<typeof machineSchema>;
export type ScenarioStep = v.InferOutput<typeof stepSchema>;
export type ExpectedVerdict = v.InferOutput<typeof verdictSchema>;

export interface Scenario extends v.InferOutput<typeof scenarioSchema> {
  readonly name: string;
  readonly folder: string;
  /** One verdict for the machine as it is, then one after each step. */
  readonly expected: readonly ExpectedVerdict[];
}

/** Every scenario folder: `scenario.json`, `expected.json` and the files of the machine below `root/`. */
export async function readScenarios(folder: string): Promise<readonly Scenario[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(names.map((name) => readScenario(join(folder, name), name)));
}

async function readScenario(folder: string, name: string): Promise<Scenario> {
  const scenario = v.parse(scenarioSchema, await readJson(join(folder, "scenario.json")));
  const expected = v.parse(expectedSchema, await readJson(join(folder, "expected.json")));
  return { ...scenario, name, folder, expected };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}
