import type { ExtensionDefinition } from "./extension-definition.ts";

export const extensionImageNamespace = "http://schemas.microsoft.com/windowsazure";

export interface ImageState {
  readonly version: string;
  readonly mediaLink: string;
  readonly internal: boolean;
  /** undefined: no element (never promoted); empty: every region. */
  readonly regions?: readonly string[];
}

/** The ExtensionImage document of the service management API; the order of its elements matters to the service. */
export function renderExtensionImage(definition: ExtensionDefinition, state: ImageState): string {
  const rows: (readonly [string, string])[] = [
    ["ProviderNameSpace", definition.publisher],
    ["Type", definition.type],
    ["Version", state.version],
    ["Label", definition.label],
    ["HostingResources", "VmRole"],
    ["MediaLink", state.mediaLink],
    ["Description", definition.description],
    ["IsInternalExtension", String(state.internal)],
    ["Eula", definition.eula],
    ["PrivacyUri", definition.privacyUri],
    ["HomepageUri", definition.homepageUri],
    ["IsJsonExtension", "true"],
    ["SupportedOS", definition.os],
    ["CompanyName", definition.companyName],
  ];
  if (state.regions !== undefined) rows.push(["Regions", state.regions.join(";")]);
  return documentOf(rows.map(([name, text]) => `  ${element(name, text)}`));
}

/** The document that lies in the package: never promoted, no link, with the mark where publishing tools put the regions. */
export function renderPackagedImage(definition: ExtensionDefinition, version: string): string {
  const image = renderExtensionImage(definition, { version, mediaLink: "", internal: true });
  return image.replace("</ExtensionImage>", "  <!-- Regions -->\n</ExtensionImage>");
}

/** What `unpublish` sends: identity, internal, JSON. */
export function renderInternalImage(definition: ExtensionDefinition, version: string): string {
  return documentOf([
    `  ${element("ProviderNameSpace", definition.publisher)}`,
    `  ${element("Type", definition.type)}`,
    `  ${element("Version", version)}`,
    `  ${element("IsInternalExtension", "true")}`,
    `  ${element("IsJsonExtension", "true")}`,
  ]);
}

function documentOf(lines: readonly string[]): string {
  const head = `<?xml version="1.0" encoding="utf-8"?>\n<ExtensionImage xmlns="${extensionImageNamespace}">`;
  return `${head}\n${lines.join("\n")}\n</ExtensionImage>\n`;
}

function element(name: string, text: string): string {
  return text === "" ? `<${name}></${name}>` : `<${name}>${escapeXml(text)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
