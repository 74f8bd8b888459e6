import { Ajv } from "ajv";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { readGivenYaml } from "../given-file.ts";
import { member } from "../json-value.ts";
import { projectFolder } from "../project.ts";
import { PublishError } from "../publish-error.ts";
import { readShape, someText } from "../read-shape.ts";
import type { CloudName } from "./cloud.ts";

const stage = v.object({
  name: someText,
  /** Every region in which the version is offered once this stage is reached; ["*"] is all. */
  regions: v.array(someText),
  bakeHours: v.number(),
  healthGate: v.optional(v.array(v.string()), []),
});
const cloudPlan = v.object({
  backend: v.optional(v.picklist(["arm", "rdfe"]), "arm"),
  subscriptionId: someText,
  resourceGroup: someText,
  location: someText,
  stages: v.array(stage),
});

export type Stage = Readonly<v.InferOutput<typeof stage>>;

/** Whether the cloud's subscription is still the example's: nothing can have been published there. */
export function isExample(plan: CloudPlan): boolean {
  return plan.subscriptionId === zeroId;
}

export type CloudPlan = Readonly<v.InferOutput<typeof cloudPlan>> & { readonly cloud: CloudName };

const zeroId = "00000000-0000-0000-0000-000000000000";
const zeroIdProblem = "subscriptionId is the zero id of the example";

const planFile = { what: "rollout plan", next: "Name a plan with --plan; manifests/rollout.yaml is one." };

/**
 * The reviewed plan for one cloud; every fault of the file at once. The example's zero subscription is allowed only where
 * nothing reaches Azure: in a dry run and against a played registry.
 */
export async function readPlan(file: string, cloud: CloudName, allowZeroId = false): Promise<CloudPlan> {
  const content = await readGivenYaml(file, planFile);
  await requireSchema(content, file);
  const row = member(content, "clouds", cloud);
  if (row === undefined)
    throw new PublishError(`${file} has no plan for the cloud "${cloud}".`, "Add it, with a review.");
  const plan = { cloud, ...readShape(cloudPlan, row, `${file}, cloud ${cloud},`) };
  const problems = planProblems(plan).filter((problem) => !(allowZeroId && problem === zeroIdProblem));
  if (problems.length > 0)
    throw new PublishError(`${file}, cloud ${cloud}: ${problems.join("; ")}.`, "Correct the plan.");
  return plan;
}

async function requireSchema(content: unknown, file: string): Promise<void> {
  const schema: unknown = JSON.parse(await readFile(join(projectFolder, "manifests/rollout.schema.json"), "utf8"));
  const ajv = new Ajv({ allErrors: true });
  if (typeof schema !== "object" || schema === null) throw new Error("manifests/rollout.schema.json is no schema");
  if (ajv.validate(schema, content)) return;
  const faults = (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message ?? ""}`);
  throw new PublishError(`${file} is no rollout plan: ${faults.join("; ")}.`, "See manifests/rollout.schema.json.");
}

/** What the schema cannot say: stages grow, each holds the one before it, the last one is every region. */
function planProblems(plan: CloudPlan): readonly string[] {
  const { stages } = plan;
  const names = stages.map(({ name }) => name);
  return [
    ...(plan.subscriptionId === zeroId ? [zeroIdProblem] : []),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `the stage "${name}" is there twice`),
    ...stages.slice(1).flatMap((stage, index) => {
      const before = stages[index];
      if (before === undefined) return [];
      if (!covers(stage.regions, before.regions))
        return [`the stage "${stage.name}" lacks regions of "${before.name}"`];
      return covers(before.regions, stage.regions) ? [`the stage "${stage.name}" adds no region`] : [];
    }),
    ...(isEverywhere(stages.at(-1)?.regions ?? []) ? [] : ['the last stage is not ["*"]']),
    ...(stages.slice(0, -1).some(({ regions }) => isEverywhere(regions)) ? ['only the last stage may be ["*"]'] : []),
  ];
}

export function isEverywhere(regions: readonly string[]): boolean {
  return regions.includes("*");
}

/** Whether `regions` offer the version wherever `others` do. Spelling differs between services: "West US 2", "westus2". */
export function covers(regions: readonly string[], others: readonly string[]): boolean {
  if (isEverywhere(regions)) return true;
  const have = new Set(regions.map(regionKey));
  return !isEverywhere(others) && others.every((region) => have.has(regionKey(region)));
}

function regionKey(region: string): string {
  return region.toLowerCase().replaceAll(" ", "");
}
