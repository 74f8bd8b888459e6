import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readExtensionDefinition } from "../../publish/extension-definition.ts";
import { startArmServer, type ArmServer, type StoredVersion } from "../support/arm-server.ts";

const tool = join(import.meta.dirname, "../../publish/main.ts");
let folder = "";
let registry: ArmServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capz-rollout-"));
  const stages = "[{ name: canary, regions: [A, B], bakeHours: 0 }, { name: all, regions: ['*'], bakeHours: 0 }]";
  const plan = `{ subscriptionId: 00000000-0000-0000-0000-000000000000, resourceGroup: g, location: l, stages: ${stages} }`;
  await writeFile(join(folder, "plan.yaml"), `clouds: { public: ${plan} }\n`);
});

beforeEach(async () => {
  registry = await startArmServer();
});

afterEach(() => registry.close());

afterAll(async () => {
  await rm(folder, { recursive: true });
});

interface ToolRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the tool as a person or a workflow does, with nobody signed in. */
async function run(...args: readonly string[]): Promise<ToolRun> {
  const child = spawn(process.execPath, ["--no-warnings", tool, ...args, "--system", "linux"], {
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (part: Buffer): void => {
    output += part.toString();
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return { code: await new Promise((resolve) => child.once("close", resolve)), output };
}

const planned = (): readonly string[] => ["--plan", join(folder, "plan.yaml")];
const played = (): readonly string[] => [...planned(), "--endpoint", registry.endpoint];

/** A version that the service holds as internal. */
async function holdInternal(version: string): Promise<StoredVersion> {
  const { publisher, type } = await readExtensionDefinition("Linux");
  registry.types.set(`${publisher}.${type}`, {});
  const tags = { "capz-sha256": "ab".repeat(32), "capz-stage-started": "2026-11-21T08:00:00.000Z" };
  const body = { tags, properties: { isInternalExtension: true, regions: ["A", "B"] } };
  const stored = { body, content: Buffer.from("package"), pollsLeft: 0 };
  registry.versions.set(version, stored);
  return stored;
}

test("--dry-run prints the requests of every step, although nobody is signed in and the plan names no subscription", async () => {
  const promote = await run("promote", "2.0.1", "--stage", "canary", "--dry-run", ...planned());
  expect(promote).toMatchObject({ code: 0 });
  expect(promote.output).toMatch(
    /^PUT https:\/\/management\.azure\.com\/subscriptions\/0{8}-[\s\S]*"regions": \[\s*"A",\s*"B"/u,
  );
  const withdraw = await run("withdraw", "2.0.1", "--reason", "bad", "--dry-run", ...planned());
  expect(withdraw).toMatchObject({ code: 0, output: expect.stringContaining('"isInternalExtension": true') });
  const remove = await run("unpublish", "2.0.1", "--delete", "--dry-run", ...planned());
  expect(remove).toMatchObject({ code: 0, output: expect.stringMatching(/^DELETE .*versions\/2\.0\.1\?/u) });
});

test.each([
  [
    "a stage that the plan does not have",
    ["promote", "2.0.1", "--stage", "nowhere", "--endpoint", "http://127.0.0.1:9"],
    "Stages: canary, all.",
  ],
  ["a cloud that does not exist", ["list", "--cloud", "mars"], "Allowed: public, usgovernment, china."],
  ["half a version", ["promote", "2.0", "--stage", "canary", "--dry-run"], "Give a whole version, such as 2.0.0."],
  ["a number that is none", ["status", "2.0.1", "--wait", "soon"], "Give a number of seconds."],
  ["an endpoint without TLS", ["list", "--endpoint", "http://registry.example"], "http://127.0.0.1:PORT"],
  [
    "two ways to withdraw",
    ["withdraw", "2.0.1", "--reason", "x", "--to-stage", "a", "--regions", "b"],
    "Give one of them",
  ],
  ["the example's subscription", ["list"], "subscriptionId is the zero id of the example"],
])("%s is told before anyone has to sign in", async (_, args, words) => {
  const { code, output } = await run(...args, ...planned());
  // Wrong use is no answer of the service; the plan is the reviewed file's.
  expect(code).toBe(words.startsWith("subscriptionId") ? 1 : 64);
  expect(output).toContain(words);
  expect(output.split("\n").length).toBeLessThanOrEqual(3);
});

test("promote --wait ends with 0 when every region has the version, 3 when some failed, 2 while it goes on, 1 when all did", async () => {
  const promote = ["promote", "2.0.1", "--stage", "canary", "--wait", "1", ...played()];
  await holdInternal("2.0.1");
  expect(await run(...promote)).toMatchObject({ code: 0 });
  registry.failedRegions.add("A");
  expect(await run("status", "2.0.1", ...played())).toMatchObject({
    code: 3,
    output: expect.stringMatching(/A +Failed[\s\S]*B +Completed/u),
  });
  expect(await run(...promote)).toMatchObject({ code: 0, output: expect.stringContaining("once more") });
  registry.pollsUntilReplicated = 99;
  registry.failedRegions.add("B");
  expect(await run(...promote)).toMatchObject({ code: 2 });
  registry.failReplication = true;
  expect(await run("status", "2.0.1", ...played())).toMatchObject({ code: 1 });
});

test("nothing is sent to Azure under the publisher of the examples", async () => {
  const file = join(folder, "own-plan.yaml");
  const plan = (await readFile(join(folder, "plan.yaml"), "utf8")).replaceAll(
    /0{8}-[0-]+/gu,
    "5c0ffee0-0000-4000-8000-0123456789ab",
  );
  await writeFile(file, plan);
  expect(await run("list", "--plan", file)).toEqual({
    code: 1,
    output: expect.stringMatching(/has the publisher of the examples, Example\.\S+\.\n.*Azure has approved/u),
  });
});

test("status --if-published is green before the first publication and for a cloud without a subscription", async () => {
  const absent = await run("status", "2.0.1", "--if-published", ...planned());
  expect(absent).toMatchObject({ code: 0, output: expect.stringContaining("names no subscription") });
  const early = await run("status", "2.0.1", "--if-published", ...played());
  expect(early).toMatchObject({ code: 0, output: "2.0.1: not published yet\n" });
  expect(await run("status", "2.0.1", ...played())).toMatchObject({ code: 1 });
});

test("without --yes unpublish and prune say what they would do, that nothing was changed, and what does it", async () => {
  const told = (what: string) => ({
    code: 0,
    output: `checked, would: ${what}\nNothing was changed: --yes does it.\n`,
  });
  for (const version of ["2.0.1", "2.0.2"]) await holdInternal(version);
  const gone = ["unpublish", "2.0.1", "--delete", ...played()];
  const prune = ["prune", "--keep", "1", ...played()];
  expect(await run(...gone)).toEqual(told("delete 2.0.1"));
  expect(await run(...prune)).toEqual(told("delete 2.0.1"));
  // Who asks for a check is not told to go on.
  expect(await run(...prune, "--check")).toEqual({ code: 0, output: "checked, would: delete 2.0.1\n" });
  expect(registry.versions.size).toBe(2);
  expect(await run(...prune, "--yes")).toEqual({ code: 0, output: "done: delete 2.0.1\n" });
});

test("without --yes a withdrawal says what it would do and what machines would do, and changes nothing", async () => {
  await holdInternal("2.0.1");
  await run("promote", "2.0.1", "--stage", "canary", ...played());
  const asked = await run("withdraw", "2.0.1", "--reason", "bad", ...played());
  expect(asked).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed: --yes does it.") });
  expect(asked.output).toContain("Machines that have 2.0.1 keep it");
  expect(registry.requests.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
  expect(await run("withdraw", "2.0.1", "--reason", "bad", "--yes", ...played())).toMatchObject({ code: 0 });
  expect(await run("promote", "2.0.1", "--stage", "canary", ...played())).toMatchObject({
    code: 1,
    output: expect.stringContaining("The rollout of 2.0.1 is held: bad"),
  });
});
