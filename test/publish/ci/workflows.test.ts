import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { listOf, member, textOr } from "../../../publish/json-value.ts";
import { refusal } from "../../windows/real-machine.ts";

const project = join(import.meta.dirname, "../../..");
const folder = join(project, ".github/workflows");
const names = readdirSync(folder);
const contentOf = (name: string): string => readFileSync(join(folder, name), "utf8");

/** What GitHub's own parser says of a workflow: syntax, keys, expressions and their contexts. */
async function faultsOf(content: string): Promise<readonly string[]> {
  const parsed = parseWorkflow({ name: "workflow.yml", content }, new NoOperationTraceWriter());
  if (parsed.value !== undefined) await convertWorkflowTemplate(parsed.context, parsed.value);
  return parsed.context.errors.getErrors().map((error) => JSON.stringify(error, ["message", "rawMessage"]));
}

test.each(names)("%s is a workflow that GitHub accepts", async (name) => {
  expect(await faultsOf(contentOf(name))).toEqual([]);
});

test.each([
  ["a job key that does not exist", "timeout-minutes: 30", "timeout-minuten: 30"],
  ["a context that does not exist", "${{ github.ref_name }}", "${{ githup.ref_name }}"],
  ["a job that needs an unknown one", "needs: build", "needs: bild"],
])("the parser catches %s", async (_, from, to) => {
  const broken = contentOf("release.yml").replace(from, to);
  expect(broken).not.toBe(contentOf("release.yml"));
  expect(await faultsOf(broken)).not.toEqual([]);
});

test.each(names)("%s runs no text of a person inside a script", (name) => {
  const jobs: unknown = member(parse(contentOf(name)), "jobs");
  const scripts = Object.values(typeof jobs === "object" && jobs !== null ? jobs : {}).flatMap((job: unknown) =>
    listOf(member(job, "steps")).map((step) => textOr(member(step, "run"), "")),
  );
  // An expression inside `run` is pasted into the shell: a tag or an input could bring its own commands.
  expect(scripts.filter((script) => script.includes("${{"))).toEqual([]);
});

test.each(names)("%s stores no secret and asks for no more rights than it needs", (name) => {
  const content = contentOf(name);
  expect(content).not.toContain("secrets.");
  expect(member(parse(content), "permissions")).toEqual({ contents: "read" });
});

test.each(names)("%s takes every action by the digest of a release", (name) => {
  const used = contentOf(name)
    .split("\n")
    .filter((line) => /^\s*(?:- )?uses:/.test(line));
  expect(used.length).toBeGreaterThan(0);
  // A tag can be moved to another commit by whoever owns, or takes over, the action.
  for (const line of used) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(names)("in %s no job that holds an identity runs an install script", (name) => {
  for (const job of jobsOf(name).filter((row) => member(row, "permissions", "id-token") === "write")) {
    const scripts = listOf(member(job, "steps")).map((step) => textOr(member(step, "run"), ""));
    expect(scripts.filter((script) => /npm (?:ci|install|i)\b(?!.*--ignore-scripts)/.test(script))).toEqual([]);
    // A cache that another branch's job can write is no source for a job that holds an identity.
    expect(listOf(member(job, "steps")).map((step) => member(step, "with", "cache"))).not.toContain("npm");
  }
});

test.each(names.filter((name) => contentOf(name).includes("workflow_dispatch") && name !== "status.yml"))(
  "%s runs by hand only from a protected branch or a tag, in an environment that somebody approves",
  (name) => {
    const jobs = jobsOf(name);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) {
      expect(member(job, "if")).toBe("github.ref_protected || startsWith(github.ref, 'refs/tags/v')");
      expect(member(job, "environment")).toEqual(expect.any(String));
    }
    expect(Object.keys(inputsOf(name))).not.toContain("plan");
  },
);

function inputsOf(name: string): object {
  const inputs = member(parse(contentOf(name)), "on", "workflow_dispatch", "inputs");
  return typeof inputs === "object" && inputs !== null ? inputs : {};
}

function jobsOf(name: string): readonly unknown[] {
  const jobs = member(parse(contentOf(name)), "jobs");
  return Object.values(typeof jobs === "object" && jobs !== null ? jobs : {});
}

const pipelineFolder = join(project, ".azure-pipelines");
const shellTexts: readonly (readonly [string, string])[] = [
  ...names.map((name) => [name, parse(contentOf(name)) as unknown] as const),
  ...readdirSync(pipelineFolder).map(
    (name) => [name, parse(readFileSync(join(pipelineFolder, name), "utf8")) as unknown] as const,
  ),
].flatMap(([name, workflow]) =>
  stepsIn(workflow)
    .map((step) => member(step, "run") ?? member(step, "script") ?? member(step, "inputs", "inlineScript"))
    .filter((text) => typeof text === "string")
    .map((text) => [name, text] as const),
);

test.each(shellTexts)("a script of %s is one that bash can read: %j", (_, text) => {
  const plain = text.replaceAll(/\$\{\{[^}]*\}\}|\$\([A-Z.]+\)/gi, "value");
  expect(spawnSync("bash", ["-n"], { input: plain, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

test("the pipelines publish what the workflows publish: both systems, every cloud, provenance and SBOM, status, withdrawal", () => {
  const twin = readdirSync(pipelineFolder)
    .map((name) => readFileSync(join(pipelineFolder, name), "utf8"))
    .join("\n");
  const workflows = names.map(contentOf).join("\n");
  for (const text of [workflows, twin]) {
    for (const command of [
      "upload",
      "upload-bundle",
      "publish",
      "promote",
      "status",
      "hold",
      "withdraw",
      "resume",
      "provenance",
      "sbom",
    ]) {
      expect(text).toMatch(new RegExp(`(?:publish-tool --|\\$tool) ${command} `));
    }
    for (const cloud of ["public", "usgovernment", "china"]) expect(text).toContain(cloud);
    expect(text).toMatch(/\[[Ll]inux, [Ww]indows\]/);
  }
});

test("the stages that people can choose are those of the plan", () => {
  const plan: unknown = parse(readFileSync(join(project, "manifests/rollout.yaml"), "utf8"));
  const stages = listOf(member(plan, "clouds", "public", "stages")).map((stage) => member(stage, "name"));
  const workflow: unknown = parse(contentOf("promote.yml"));
  expect(member(workflow, "on", "workflow_dispatch", "inputs", "stage", "options")).toEqual(stages);
  const earlier = member(parse(contentOf("withdraw.yml")), "on", "workflow_dispatch", "inputs", "stage", "options");
  expect(earlier).toEqual(["nowhere", ...stages.slice(0, -1)]);
  const pipeline: unknown = parse(readFileSync(join(project, ".azure-pipelines/release.yml"), "utf8"));
  const parameter = listOf(member(pipeline, "parameters")).find((row) => member(row, "name") === "stages");
  expect(member(parameter, "default")).toEqual(stages);
});

test("every command that a workflow or the pipeline runs is one that the tool has", () => {
  const sources = [...names.map(contentOf), readFileSync(join(project, ".azure-pipelines/release.yml"), "utf8")];
  const used = new Set(
    sources.flatMap((text) => [...text.matchAll(/publish-tool -- ([a-z-]+)/g)].map((found) => found[1])),
  );
  const main = readdirSync(join(project, "publish")).filter((name) => name.startsWith("commands-"));
  const known = main.map((name) => readFileSync(join(project, "publish", name), "utf8")).join("\n");
  expect(used.size).toBeGreaterThan(4);
  for (const command of used) expect(known).toContain(`"${command ?? ""}"`);
});

test("the Azure pipeline builds no tag that names another version, and makes a page for tags alone", () => {
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { readonly version: string };
  const release: unknown = parse(readFileSync(join(pipelineFolder, "release.yml"), "utf8"));
  const step = stepsIn(release).find((one) => member(one, "displayName") === "The tag names the version");
  const run = (branch: string) =>
    spawnSync("bash", ["-c", textOr(member(step, "script"), "exit 99")], {
      cwd: project,
      env: { ...process.env, BUILD_SOURCEBRANCH: branch },
    }).status;
  expect([`refs/tags/v${version}`, "refs/heads/main", "refs/tags/v0.0.1", "refs/tags/other"].map(run)).toEqual([
    0, 0, 1, 1,
  ]);
  const [page] = listOf(member(release, "stages")).flatMap((one) =>
    listOf(member(one, "${{ if ne(parameters.gitHubConnection, 'none') }}")),
  );
  expect(member(page, "stage")).toBe("github_release");
  expect(member(page, "condition")).toContain("startsWith(variables['Build.SourceBranch'], 'refs/tags/v')");
});

test("the Azure pipeline waits longer than any plan may ask for", () => {
  const release: unknown = parse(readFileSync(join(pipelineFolder, "release.yml"), "utf8"));
  const schema: unknown = JSON.parse(readFileSync(join(project, "manifests/rollout.schema.json"), "utf8"));
  const hours = member(schema, "definitions", "stage", "properties", "bakeHours", "maximum");
  const limits = [...JSON.stringify(release).matchAll(/"pool":"server","timeoutInMinutes":(\d+)/gu)];
  expect(limits.map(([, minutes]) => Number(minutes) > Number(hours) * 60)).toEqual([true]);
});

test("the Azure pipeline's page is a draft until every file is there, and publishing it takes no file away", () => {
  const release: unknown = parse(readFileSync(join(pipelineFolder, "release.yml"), "utf8"));
  const tasks = stepsIn(release).filter((one) => member(one, "task") === "GitHubRelease@1");
  const inputs = tasks.map((task) =>
    ["isDraft", "assets", "assetUploadMode"].map((name) => member(task, "inputs", name)),
  );
  expect(inputs).toEqual([
    [true, "$(Agent.TempDirectory)/release/*", undefined],
    [false, "", "replace"],
  ]);
});

test("the check bundle is uploaded and shown on the page as it was signed, never as it was built", () => {
  const release: unknown = parse(readFileSync(join(pipelineFolder, "release.yml"), "utf8"));
  const texts = stepsIn(release).map((step) =>
    textOr(member(step, "script"), textOr(member(step, "inputs", "inlineScript"), "")),
  );
  const using = texts.filter((text) => /upload-bundle |checksums "\$release"/u.test(text));
  expect(using).toHaveLength(2);
  for (const text of using) expect(text).toMatch(/Pipeline\.Workspace\)"?\/bundle-release/u);
  const jobs = member(parse(contentOf("release.yml")), "jobs");
  for (const name of ["publish-bundle", "github-release"]) {
    expect(listOf(member(jobs, name, "needs"))).toContain("sign-bundle");
    const downloads = listOf(member(jobs, name, "steps")).map((step) => member(step, "with", "name"));
    expect(downloads).toContain("bundle-release");
  }
});

test("the Azure pipeline uses only templates that are there and steps of known kinds", () => {
  const pipelines = join(project, ".azure-pipelines");
  const release: unknown = parse(readFileSync(join(pipelines, "release.yml"), "utf8"));
  const steps = stepsIn(release);
  const kinds = ["task", "script", "publish", "checkout", "template"];
  expect(steps.length).toBeGreaterThan(6);
  for (const step of steps) {
    expect(kinds.filter((kind) => member(step, kind) !== undefined)).toHaveLength(1);
    const template = member(step, "template");
    if (typeof template === "string") expect(readdirSync(pipelines)).toContain(template);
  }
});

test("the tests for a real Windows run where the workflow says that the machine is thrown away, and nowhere else", () => {
  const steps = stepsIn(parse(contentOf("windows.yml")));
  const env = steps.map((step) => member(step, "env", "CAPZ_THROW_AWAY_MACHINE")).filter((one) => one !== undefined);
  expect(env).toEqual(["1"]);
  const thrownAway = { CAPZ_THROW_AWAY_MACHINE: "1" };
  expect(refusal(thrownAway, () => false)).toBeUndefined();
  expect(refusal({}, () => false)).toContain("CAPZ_THROW_AWAY_MACHINE=1");
  expect(refusal(thrownAway, (path) => path === "C:\\run")).toBe(
    "These tests would change what is not theirs: C:\\run",
  );
});

/** Every step below `steps`, at any depth. */
function stepsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(stepsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    key === "steps" ? listOf(inner) : stepsIn(inner),
  );
}
