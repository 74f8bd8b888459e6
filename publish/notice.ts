import type { Component } from "./components.ts";

export interface NoticeParts {
  readonly ownLicence: string;
  readonly components: readonly Component[];
  readonly nodeVersion: string;
  readonly nodeLicence: string;
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
  return [head, own, ...bundled, section(`Node.js ${parts.nodeVersion}`, parts.nodeLicence)].join("\n\n") + "\n";
}

function section(title: string, text: string): string {
  return `${rule}\n${title}\n${rule}\n\n${text.trim()}`;
}
