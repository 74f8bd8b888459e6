import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { obtainNodeLicence, obtainRuntime } from "./base-node.ts";
import { buildProgram } from "./build-program.ts";
import { buildCheckBundle } from "./check-bundle.ts";
import { readComponents } from "./components.ts";
import { readExtensionDefinition, type ExtensionDefinition, type OperatingSystem } from "./extension-definition.ts";
import { renderPackagedImage } from "./extension-image.ts";
import { deriveHandlerManifest } from "./handler-manifest.ts";
import { renderNotice } from "./notice.ts";
import type { PackageFile } from "./package-file.ts";
import { projectFolder } from "./project.ts";
import { PublishError } from "./publish-error.ts";
import { readRuntimePins, runtimePath, type RuntimePin } from "./runtime-pins.ts";
import { renderSbom } from "./sbom.ts";
import { readTrustedKeysFile } from "./trusted-keys.ts";

export interface PackageContent {
  readonly os: OperatingSystem;
  readonly type: string;
  readonly version: string;
  readonly files: readonly PackageFile[];
}

/** Every file of one system's package, in the order of the zip: by the bytes of the names. */
export async function collectPackage(os: OperatingSystem, trustedKeys?: string): Promise<PackageContent> {
  const definition = await readExtensionDefinition(os);
  const pins = await pinsOf(definition);
  const program = await buildProgram();
  const text = (name: string, content: string): PackageFile => ({ name, content: Buffer.from(content), mode: 0o644 });
  const described: PackageFile[] = [
    text(
      "HandlerManifest.json",
      deriveHandlerManifest(await readProjectText("HandlerManifest.json"), definition, program.version),
    ),
    text("manifest.xml", renderPackagedImage(definition, program.version)),
    await launcher(os),
    ...program.files.map(({ name, content }): PackageFile => ({ name, content, mode: 0o644 })),
    ...(await buildCheckBundle()).map(({ name, content }): PackageFile => ({
      name: `bundle/${name}`,
      content,
      mode: 0o644,
    })),
    text("bundle/trusted-keys.json", await readTrustedKeysFile(trustedKeys)),
  ];
  const components = await readComponents(program.inputs, projectFolder);
  const runtimes = await Promise.all(
    pins.map(async (pin): Promise<PackageFile> => ({
      name: runtimePath(pin),
      content: await obtainRuntime(pin),
      mode: 0o755,
    })),
  );
  const notice = renderNotice({
    ownLicence: await readProjectText("LICENSE"),
    components,
    node: { version: pins[0]?.version ?? "", licence: await licenceOfNode() },
  });
  described.push(text("NOTICE", notice));
  const sbom = renderSbom({ type: definition.type, version: program.version, components, pins, files: described });
  const files = [...described, text("sbom.cdx.json", sbom), ...runtimes];
  return { os, type: definition.type, version: program.version, files: files.sort(byNameBytes) };
}

async function pinsOf(definition: ExtensionDefinition): Promise<readonly RuntimePin[]> {
  const pins = await readRuntimePins();
  return definition.runtimes.map((name) => {
    const pin = pins.find((candidate) => candidate.name === name);
    if (pin !== undefined) return pin;
    throw new PublishError(`publish/runtime-pins.json has no runtime "${name}".`, "Add a row with both digests.");
  });
}

/** The npm package for Windows has no licence file; all three hold the same release of Node. */
async function licenceOfNode(): Promise<string> {
  const [linux] = await readRuntimePins();
  return linux === undefined ? "" : obtainNodeLicence(linux);
}

async function launcher(os: OperatingSystem): Promise<PackageFile> {
  if (os === "Linux") {
    return {
      name: "bin/capz-bootstrap",
      content: Buffer.from(await readProjectText("bin/capz-bootstrap")),
      mode: 0o755,
    };
  }
  const text = await readProjectText("bin/capz-bootstrap.cmd");
  // cmd.exe misreads labels and blocks of a file with bare line feeds.
  return { name: "bin/capz-bootstrap.cmd", content: Buffer.from(text.replaceAll("\n", "\r\n")), mode: 0o755 };
}

/** Line feeds only, whatever the checkout made of them: the same sources give the same bytes. */
async function readProjectText(name: string): Promise<string> {
  return (await readFile(join(projectFolder, name), "utf8")).replaceAll("\r\n", "\n");
}

function byNameBytes(left: PackageFile, right: PackageFile): number {
  return Buffer.compare(Buffer.from(left.name), Buffer.from(right.name));
}
