import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listOf, member, readText } from "./json-value.ts";
import { projectFolder } from "./project.ts";
import { PublishError } from "./publish-error.ts";

export const operatingSystems = ["Linux", "Windows"] as const;
export type OperatingSystem = (typeof operatingSystems)[number];

/** What is published for one operating system: one extension type holds one system (RDFE: SupportedOS). */
export interface ExtensionDefinition {
  readonly os: OperatingSystem;
  readonly publisher: string;
  readonly type: string;
  readonly label: string;
  readonly description: string;
  readonly companyName: string;
  readonly eula: string;
  readonly privacyUri: string;
  readonly homepageUri: string;
  readonly architectures: readonly string[];
  /** Names of rows of runtime-pins.json. */
  readonly runtimes: readonly string[];
}

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
  const row = listOf(member(content, "images")).find((image) => member(image, "os") === os);
  const own = (key: string): string => readText(row, key, definitionFile);
  const shared = (key: string): string => readText(content, key, definitionFile);
  return {
    os,
    publisher: shared("publisher"),
    type: own("type"),
    label: own("label"),
    description: own("description"),
    companyName: shared("companyName"),
    eula: shared("eula"),
    privacyUri: shared("privacyUri"),
    homepageUri: shared("homepageUri"),
    architectures: listOf(member(row, "architectures")).map(String),
    runtimes: listOf(member(row, "runtimes")).map(String),
  };
}

/** "linux", "Windows" or "all" as a person types it. */
export function parseOperatingSystems(text: string): readonly OperatingSystem[] {
  if (text.toLowerCase() === "all") return operatingSystems;
  const found = operatingSystems.find((os) => os.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return [found];
  throw new PublishError(`There is no package for "${text}".`, "Allowed: linux, windows, all.");
}
