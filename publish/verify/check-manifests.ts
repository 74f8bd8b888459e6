import { listOf, member } from "../json-value.ts";
import { signingIdentity } from "../extension-definition.ts";
import { projectVersion } from "../project.ts";
import { imageText } from "./check-image.ts";
import { problemsOf, type PackageCheck } from "./check.ts";
import { entryJson, entryText, type OpenedPackage } from "./opened-package.ts";

const commandNames = ["install", "enable", "update", "disable", "uninstall"];
const booleans = ["rebootAfterInstall", "reportHeartbeat", "continueOnUpdateFailure", "supportsMultipleExtensions"];

/** All fields that registration and the agents read (WALinuxAgent: exthandlers, HandlerManifest). */
export const checkHandlerManifest: PackageCheck = {
  id: "handler-manifest",
  title: "HandlerManifest.json",
  run(opened) {
    const content = entryJson(opened, "HandlerManifest.json");
    if (!Array.isArray(content) || content.length !== 1) return problemsOf(["it is not a list with one handler"]);
    const handler = member(content[0], "handlerManifest");
    const signing = member(content[0], "signingInfo");
    const { definition } = opened;
    const signed = signingIdentity(definition);
    return problemsOf([
      ...commandNames.flatMap((name) => commandProblem(opened, { name, command: member(handler, `${name}Command`) })),
      ...booleans
        .filter((key) => typeof member(handler, key) !== "boolean")
        .map((key) => `${key} is not true or false`),
      ...differs("updateMode", member(handler, "updateMode"), "UpdateWithInstall"),
      ...differs("name", member(content[0], "name"), definition.type),
      ...differs("signingInfo.publisher", member(signing, "publisher"), signed.publisher),
      ...differs("signingInfo.type", member(signing, "type"), signed.type),
    ]);
  },
};

function commandProblem(
  opened: OpenedPackage,
  { name, command }: { readonly name: string; readonly command: unknown },
): readonly string[] {
  const [file, ...rest] = typeof command === "string" ? command.split(" ") : [];
  const path = (file ?? "").replaceAll("\\", "/");
  if (!opened.entries.some((entry) => entry.name === path)) {
    return [`${name}Command starts ${JSON.stringify(command)}, which the package does not hold`];
  }
  return rest.join(" ") === name ? [] : [`${name}Command passes "${rest.join(" ")}"`];
}

/** One version everywhere: package.json, the agent's signing data, the image definition, the SBOM, the bundle's floor. */
export const checkVersions: PackageCheck = {
  id: "versions",
  title: "one version in all files",
  async run(opened) {
    const version = await projectVersion();
    const inXml = imageText(entryText(opened, "manifest.xml") ?? "", "Version");
    const signing = member(listOf(entryJson(opened, "HandlerManifest.json"))[0], "signingInfo", "version");
    const inSbom = member(entryJson(opened, "sbom.cdx.json"), "metadata", "component", "version");
    const floor = String(member(entryJson(opened, "bundle/bundle.json"), "minimumHandlerVersion"));
    const tooNew = floor.localeCompare(version, "en", { numeric: true }) > 0;
    return problemsOf([
      ...differs("HandlerManifest.json signingInfo.version", signing, version),
      ...differs("manifest.xml Version", inXml, version),
      ...differs("sbom.cdx.json metadata.component.version", inSbom, version),
      ...(opened.path.includes(`-${version}.zip`) ? [] : [`the name of the zip does not say ${version}`]),
      ...(tooNew ? [`bundle.json needs handler ${floor}, the package is ${version}`] : []),
    ]);
  },
};

function differs(what: string, value: unknown, wanted: string): readonly string[] {
  return value === wanted ? [] : [`${what} is ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`];
}
