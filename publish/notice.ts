import type { Component } from "./components.ts";

export interface NoticeParts {
  readonly ownLicence: string;
  readonly components: readonly Component[];
  /** Where Node itself travels with the program. */
  readonly node?: { readonly version: string; readonly licence: string };
}

const rule = "=".repeat(79);

/** NOTICE of a package: our licence, then that of each part that travels with it. */
export function renderNotice(parts: NoticeParts): string {
  const head =
    "This package holds the program capz-bootstrap and the software of others listed below, each under its own licence.";
  const own = section("capz-bootstrap", parts.ownLicence);
  const bundled = parts.components.map(({ name, version, licence, licenceText }) =>
    section(`${name} ${version} (${licence})`, licenceText === "" ? `Licence: ${licence}` : licenceText),
  );
  const node = parts.node === undefined ? [] : [section(`Node.js ${parts.node.version}`, parts.node.licence)];
  return [head, own, ...bundled, ...node].join("\n\n") + "\n";
}

function section(title: string, text: string): string {
  return `${rule}\n${title}\n${rule}\n\n${text.trim()}`;
}
