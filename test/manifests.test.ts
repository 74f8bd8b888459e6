import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { parseSettings } from "../handler/settings/parse-settings.ts";
import { readBicepParameters, translateBicep } from "../scripts/dev/bicep/translate-bicep.ts";
import { outputs } from "../scripts/dev/generate-arm-templates.ts";
import { readCrdSchemas } from "./support/crd-schema.ts";
import { referenceFolder } from "./support/reference-folder.ts";
import { anySchema, ownSchema } from "./support/schema-validator.ts";

const manifests = join(import.meta.dirname, "..", "manifests");
const reference = referenceFolder();
const whereReferenceIs = reference === undefined ? describe.skip : describe;

interface Resource {
  readonly file: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly body: Json;
}
type Json = Readonly<Record<string, unknown>>;

const resources = [...readResources("capz"), ...readResources("healing")];
const bicepFiles = readdirSync(join(manifests, "bicep"));
const templates = bicepFiles.filter((name) => name.endsWith(".bicep")).map((name) => basename(name, ".bicep"));

describe("every CAPZ and Cluster API example", () => {
  test.each(resources.map((resource) => [label(resource), resource] as const))(
    "%s fits our own schema",
    (_, resource) => {
      expect(ownValidate(resource)(resource.body)).toEqual([]);
    },
  );

  test("there is one for each kind of machine", () => {
    expect(readdirSync(join(manifests, "capz")).sort()).toEqual([
      "capz-own-command.yaml",
      "cluster-class.yaml",
      "kustomize",
      "linux-arm64-worker.yaml",
      "linux-control-plane.yaml",
      "linux-worker.yaml",
      "machine-pool-flexible.yaml",
      "machine-pool-uniform.yaml",
      "observe-only.yaml",
      "private-mirror.yaml",
      "sovereign-china.yaml",
      "sovereign-us-government.yaml",
      "windows-worker.yaml",
    ]);
  });

  test.each([
    ["a number among the settings", { settings: { timeoutSeconds: 900 } }],
    ["a list among the settings", { settings: { checkBaseUris: ["https://x"] } }],
    ["a misspelt field", { setting: {} }],
    ["a version of three parts", { version: "1.0.0" }],
    ["another name", { name: "bootstrap" }],
  ])("%s is refused", (_, change) => {
    const resource = plainResource("AzureMachineTemplate", "Linux");
    const extension = { name: "CAPZ.Linux.Bootstrapping", publisher: "P", version: "1.0", settings: {} };
    const withExtension = (value: object) =>
      applyPatch(resource.body, [{ op: "add", path: "/spec/template/spec/vmExtensions", value: [value] }]);
    expect(ownValidate(resource)(withExtension(extension))).toEqual([]);
    expect(ownValidate(resource)(withExtension({ ...extension, ...change }))).not.toEqual([]);
  });

  test.each(extensionsOf(resources))(
    "the settings of %s are accepted by the handler without a warning",
    (_, extension) => {
      const parsed = parseSettings({
        publicSettings: extension["settings"] ?? null,
        protectedSettings: extension["protectedSettings"] ?? null,
      });
      expect(parsed).toMatchObject({ kind: "valid", warnings: [] });
    },
  );

  test.each(
    resources
      .filter(({ kind }) => kind.startsWith("AzureMachine"))
      .map((resource) => [label(resource), resource] as const),
  )("%s keeps the built-in extension off and names the operating system of its disk", (_, resource) => {
    const text = JSON.stringify(resource.body);
    expect(text).toContain('"disableVMBootstrapExtension":true');
    const osType = ["Linux", "Windows"].find((name) => text.includes(`"osType":"${name}"`)) ?? "";
    expect(extensionsOf([resource]).map(([, extension]) => extension["name"])).toEqual([
      `CAPZ.${osType}.Bootstrapping`,
    ]);
  });
});

describe("the kustomize component", () => {
  const component = asJson(parse(read("capz/kustomize/kustomization.yaml")));
  const patches = listOf(component["patches"]).map(asJson);

  test("names each of its patch files once", () => {
    const files = readdirSync(join(manifests, "capz", "kustomize")).filter((name) => name !== "kustomization.yaml");
    expect(patches.map((patch) => patch["path"]).sort()).toEqual(files.sort());
  });

  test.each(patches.map((patch) => [String(patch["path"]), patch] as const))(
    "%s makes a valid machine of a plain one",
    (path, patch) => {
      const kind = String(asJson(patch["target"])["kind"]);
      const resource = plainResource(kind, path.startsWith("windows") ? "Windows" : "Linux");
      expect(ownValidate(resource)(resource.body)).toEqual([]);
      const patched = applyPatch(resource.body, listOf(parse(read(`capz/kustomize/${path}`))).map(asJson));
      expect(ownValidate(resource)(patched)).toEqual([]);
      const [[, extension] = ["", {}]] = extensionsOf([{ ...resource, body: patched }]);
      expect(extension["name"]).toBe(
        path.startsWith("windows") ? "CAPZ.Windows.Bootstrapping" : "CAPZ.Linux.Bootstrapping",
      );
      expect(parseSettings({ publicSettings: extension["settings"], protectedSettings: null })).toMatchObject({
        kind: "valid",
        warnings: [],
      });
    },
  );
});

describe("the patch of the ClusterClass", () => {
  const [clusterClass] = resources.filter(({ kind }) => kind === "ClusterClass");
  const spec = asJson(clusterClass?.body["spec"]);
  const [definition] = listOf(asJson(listOf(spec["patches"])[0])["definitions"]).map(asJson);

  test("is for a class that the ClusterClass has", () => {
    const selected = asJson(asJson(asJson(definition?.["selector"])["matchResources"])["machineDeploymentClass"])[
      "names"
    ];
    const classes = listOf(asJson(spec["workers"])["machineDeployments"]).map((row) => asJson(row)["class"]);
    expect(selected).toEqual(classes);
  });

  test("makes a valid template with the defaults of the variables, all of which it uses", () => {
    const variables = listOf(spec["variables"]).map(asJson);
    const filled = (text: string) =>
      variables.reduce((made, variable) => {
        const name = `{{ .${String(variable["name"])} }}`;
        expect(text).toContain(name);
        return made.replaceAll(name, String(asJson(asJson(variable["schema"])["openAPIV3Schema"])["default"]));
      }, text);
    const operations = listOf(definition?.["jsonPatches"])
      .map(asJson)
      .map(({ valueFrom, ...rest }) => {
        if (valueFrom === undefined) return rest;
        return { ...rest, value: parse(filled(String(asJson(valueFrom)["template"]))) as unknown };
      });
    const resource = plainResource("AzureMachineTemplate", "Linux");
    const patched = applyPatch(resource.body, operations);
    expect(ownValidate(resource)(patched)).toEqual([]);
    const [[, extension] = ["", {}]] = extensionsOf([{ ...resource, body: patched }]);
    expect(parseSettings({ publicSettings: extension["settings"], protectedSettings: null })).toMatchObject({
      kind: "valid",
      warnings: [],
      settings: { mode: "observe" },
    });
  });
});

describe("health checks do not loop and do not break a quorum", () => {
  const checks = resources.filter(({ kind }) => kind === "MachineHealthCheck");

  test.each(checks.map((check) => [label(check), check] as const))(
    "%s stops when many machines are unhealthy",
    (_, check) => {
      const spec = asJson(check.body["spec"]);
      const limit =
        check.version === "v1beta2"
          ? asJson(asJson(spec["remediation"])["triggerIf"])["unhealthyLessThanOrEqualTo"]
          : spec["maxUnhealthy"];
      expect(check.file.includes("control-plane") ? limit === 1 : limit === "40%").toBe(true);
    },
  );

  test("a control plane is judged slowly, and attempts to replace it are counted", () => {
    for (const resource of resources.filter(({ kind }) => kind === "KubeadmControlPlane")) {
      const spec = asJson(resource.body["spec"]);
      const remediation = asJson(spec["remediation"] ?? spec["remediationStrategy"]);
      expect(remediation["maxRetry"]).toBe(3);
      expect(spec["replicas"]).toBe(3);
    }
  });

  test("the wait of the health check is longer than the longest wait of the extension in the examples", () => {
    const longest = Math.max(
      ...extensionsOf(resources).map(([, extension]) =>
        Number(asJson(extension["settings"] ?? {})["timeoutSeconds"] ?? 1200),
      ),
    );
    for (const check of checks.filter(({ version }) => version === "v1beta2")) {
      const startup = Number(asJson(asJson(check.body["spec"])["checks"])["nodeStartupTimeoutSeconds"]);
      expect(startup).toBeGreaterThanOrEqual(longest);
    }
  });
});

describe("ARM and Bicep", () => {
  test("the templates and parameters of ARM are what the files in Bicep say, as npm run generate writes them", async () => {
    const files = await outputs();
    for (const { path, content } of files)
      expect([path, read(path.replace("manifests/", ""))]).toEqual([path, content]);
    expect(files.map(({ path }) => basename(path)).sort()).toEqual(readdirSync(join(manifests, "arm")).sort());
  });

  test.each(templates)("%s.json fits our own schema", (name) => {
    expect(ownSchema("arm", "template")(JSON.parse(read(`arm/${name}.json`)))).toEqual([]);
  });

  test.each(templates)("%s has parameters that name it and set what the template needs", (name) => {
    const { using, values } = readBicepParameters(read(`bicep/${name}.bicepparam`));
    expect(ownSchema("arm", "parameters")(JSON.parse(read(`arm/${name}.parameters.json`)))).toEqual([]);
    expect(using).toBe(`./${name}.bicep`);
    const declared = Object.entries(asJson(asJson(JSON.parse(read(`arm/${name}.json`)))["parameters"]));
    expect(Object.keys(values).filter((key) => !declared.some(([other]) => other === key))).toEqual([]);
    for (const [key, declaration] of declared) {
      expect([key, key in values || "defaultValue" in asJson(declaration)]).toEqual([key, true]);
    }
  });

  test.each(templates.filter((name) => !isRunCommand(name)))(
    "the settings of %s are accepted by the handler",
    (name) => {
      const [resource] = listOf(asJson(JSON.parse(read(`arm/${name}.json`)))["resources"]).map(asJson);
      const settings = asJson(asJson(resource?.["properties"])["settings"]);
      const secrets = readBicepParameters(read(`bicep/${name}.bicepparam`)).values["protectedSettings"];
      const parsed = parseSettings({ publicSettings: settings, protectedSettings: secrets ?? null });
      expect(parsed).toMatchObject({ kind: "valid", warnings: [] });
    },
  );

  test.each([
    ["a loop", "resource x 'T@1' = [for i in range(0, 2): {}]"],
    ["a condition", "resource x 'T@1' = if (true) {}"],
    ["a module", "module m './m.bicep' = {}"],
    ["an unknown name", "output o string = nobody"],
    ["a text of several lines", "output o string = '''\na'''"],
  ])("the translator refuses %s instead of guessing", (_, source) => {
    expect(() => translateBicep(source)).toThrow();
  });

  test("the translator emits what the Bicep compiler emits for a child of an existing resource", () => {
    const source =
      "param n string\nresource vm 'A/b@2024-01-01' existing = {\n  name: n\n}\nresource e 'A/b/c@2024-01-01' = {\n  parent: vm\n  name: 'x.${n}'\n}\noutput id string = e.id\n";
    expect(translateBicep(source)).toMatchObject({
      resources: [{ type: "A/b/c", name: "[format('{0}/{1}', parameters('n'), format('x.{0}', parameters('n')))]" }],
      outputs: { id: { value: "[resourceId('A/b/c', parameters('n'), format('x.{0}', parameters('n')))]" } },
    });
  });
});

whereReferenceIs("against the original schemas", () => {
  const folder = reference ?? "";
  const original = (path: string) =>
    reference === undefined ? new Map<string, object>() : readCrdSchemas(join(folder, path));
  const crds = new Map([...original("crds/capz"), ...original("crds/capi")]);

  test.each(resources.map((resource) => [label(resource), resource] as const))(
    "%s fits its CustomResourceDefinition",
    (_, resource) => {
      const schema = crds.get(`${resource.group}/${resource.version}/${resource.kind}`);
      expect(anySchema(schema ?? fail(resource))(resource.body)).toEqual([]);
    },
  );

  test("the annotation examples fit Cluster API v1.10, and machine conditions do not exist there", () => {
    const schema = original("crds/capi-v1.10").get("cluster.x-k8s.io/v1beta1/MachineHealthCheck");
    const validate = anySchema(schema ?? {});
    const named = (part: string) =>
      resources.filter(({ file, kind }) => kind === "MachineHealthCheck" && file.includes(part));
    for (const check of named("annotation")) expect(validate(check.body)).toEqual([]);
    for (const check of named("v1beta1")) expect(validate(check.body).join()).toContain("unhealthyMachineConditions");
  });

  test.each(templates)("%s.json fits the resource schema of Azure", (name) => {
    const file = join(folder, "arm-examples/schema/Microsoft.Compute-extensions-2026-03-01.schema.json");
    const schema = asJson(JSON.parse(readFileSync(file, "utf8")));
    const [resource] = listOf(asJson(JSON.parse(read(`arm/${name}.json`)))["resources"]).map(asJson);
    const scaleSet = String(resource?.["type"]).includes("ScaleSets");
    const definition = isRunCommand(name)
      ? "VirtualMachineRunCommandProperties"
      : scaleSet
        ? "VirtualMachineScaleSetExtensionProperties"
        : "VirtualMachineExtensionProperties";
    // draft-04 writes its id without the dollar; only the definitions are needed.
    const validate = anySchema({ definitions: schema["definitions"], $ref: `#/definitions/${definition}` });
    expect(validate(resource?.["properties"])).toEqual([]);
    const flag = isRunCommand(name) ? "asyncExecution" : "suppressFailures";
    expect(validate({ ...asJson(resource?.["properties"]), [flag]: 3 })).not.toEqual([]);
  });
});

function isRunCommand(name: string): boolean {
  return name.startsWith("run-command");
}

function fail(resource: Resource): never {
  throw new Error(`no CustomResourceDefinition for ${label(resource)}`);
}

function ownValidate({ group, kind, version }: Resource): (value: unknown) => readonly string[] {
  return ownSchema(group.startsWith("infrastructure.") ? "capz" : "capi", `${kind}/${version}`);
}

function read(path: string): string {
  return readFileSync(join(manifests, path), "utf8");
}

function readResources(folder: string): readonly Resource[] {
  return readdirSync(join(manifests, folder))
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) =>
      parseAllDocuments(read(`${folder}/${name}`)).map((document) => toResource(`${folder}/${name}`, document.toJS())),
    );
}

function toResource(file: string, value: unknown): Resource {
  const body = asJson(value);
  const [group = "", version = ""] = String(body["apiVersion"]).split("/");
  return { file, group, version, kind: String(body["kind"]), body };
}

function label({ file, kind }: Resource): string {
  return `${file} (${kind})`;
}

/** The extensions of machines and pools, wherever the list stands. */
function extensionsOf(all: readonly Resource[]): readonly (readonly [string, Json])[] {
  return all.flatMap((resource) => {
    const template = asJson(asJson(resource.body["spec"])["template"] ?? {});
    const holder = resource.kind === "AzureMachineTemplate" ? asJson(template["spec"] ?? {}) : template;
    return listOf(holder["vmExtensions"]).map((extension) => [label(resource), asJson(extension)] as const);
  });
}

function plainResource(kind: string, osType: string): Resource {
  const machine = { vmSize: "Standard_D2s_v5", osDisk: { osType } };
  const spec =
    kind === "AzureMachinePool" ? { location: "westeurope", template: machine } : { template: { spec: machine } };
  return toResource("plain", {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind,
    metadata: { name: "x" },
    spec,
  });
}

/** JSON patch, as far as the component uses it. */
function applyPatch(target: Json, operations: readonly Json[]): Json {
  const copy = asJson(structuredClone(target));
  for (const operation of operations) {
    expect(operation["op"]).toBe("add");
    const keys = String(operation["path"]).split("/").slice(1);
    const last = keys.pop() ?? "";
    const holder = keys.reduce<Json>((value, key) => asJson(value[key]), copy);
    Object.assign(holder, { [last]: operation["value"] });
  }
  return copy;
}

function asJson(value: unknown): Json {
  if (!isJson(value)) throw new Error(`an object is needed, not ${JSON.stringify(value)}`);
  return value;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
