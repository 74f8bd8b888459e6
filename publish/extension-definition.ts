import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { projectFolder } from "./project.ts";
import { PublishError, WrongUse } from "./publish-error.ts";
import { readShape, someText } from "./read-shape.ts";

export const operatingSystems = ["Linux", "Windows"] as const;
export type OperatingSystem = (typeof operatingSystems)[number];

const image = v.object({
  os: v.picklist(operatingSystems),
  type: someText,
  label: someText,
  description: someText,
  architectures: v.array(someText),
  /** Names of rows of runtime-pins.json. */
  runtimes: v.array(someText),
});
const shared = {
  publisher: someText,
  companyName: someText,
  eula: someText,
  privacyUri: someText,
  homepageUri: someText,
};
const definition = v.object({ ...shared, images: v.array(image) });

/** What is published for one operating system: one extension type holds one system (RDFE: SupportedOS). */
export type ExtensionDefinition = Readonly<
  v.InferOutput<typeof image> & Omit<v.InferOutput<typeof definition>, "images">
>;

/**
 * Publisher and type as the guest agent compares them with the signed manifest (WALinuxAgent: signature_validation_util). It
 * knows only the full name and splits it at the last dot, so part of our type counts as publisher there.
 */
export function signingIdentity({
  publisher,
  type,
}: Pick<ExtensionDefinition, "publisher" | "type">): Pick<ExtensionDefinition, "publisher" | "type"> {
  const name = `${publisher}.${type}`;
  const split = name.lastIndexOf(".");
  return { publisher: name.slice(0, split), type: name.slice(split + 1) };
}

const definitionFile = join(projectFolder, "manifests/extension-image.json");

export async function readExtensionDefinition(os: OperatingSystem): Promise<ExtensionDefinition> {
  const content: unknown = JSON.parse(await readFile(definitionFile, "utf8"));
  const { images, ...common } = readShape(definition, content, definitionFile);
  const own = images.find((one) => one.os === os);
  if (own === undefined) throw new PublishError(`${definitionFile} has no image for ${os}.`, `Add it to "images".`);
  return { ...common, ...own };
}

/** "linux", "Windows" or "all" as a person types it. */
export function parseOperatingSystems(text: string): readonly OperatingSystem[] {
  if (text.toLowerCase() === "all") return operatingSystems;
  const found = operatingSystems.find((os) => os.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return [found];
  throw new WrongUse(`There is no package for "${text}".`, "Allowed: linux, windows, all.");
}
