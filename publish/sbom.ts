import type { Component } from "./components.ts";
import { sha256 } from "./digest.ts";
import type { RuntimePin } from "./runtime-pins.ts";

export interface SbomParts {
  readonly type: string;
  readonly version: string;
  readonly components: readonly Component[];
  readonly pins: readonly RuntimePin[];
  /** Every other file of the package by name. */
  readonly files: readonly { readonly name: string; readonly content: Uint8Array }[];
}

/**
 * CycloneDX 1.6 of what is really inside. It has no time and its serial number comes from its content, so that the same
 * input gives the same bytes.
 */
export function renderSbom(parts: SbomParts): string {
  const reference = `pkg:generic/${parts.type}@${parts.version}`;
  const components = [
    ...parts.components.map(npmComponent),
    ...parts.pins.map(runtimeComponent),
    ...parts.files.map(fileComponent),
  ];
  const body = {
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": reference,
        name: parts.type,
        version: parts.version,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components,
    dependencies: [{ ref: reference, dependsOn: components.map((component) => component["bom-ref"]) }],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(body))}`;
  return `${JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", serialNumber, ...body }, null, 2)}\n`;
}

interface SbomComponent extends Readonly<Record<string, unknown>> {
  readonly "bom-ref": string;
}

function npmComponent({ name, version, licence }: Component): SbomComponent {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type: "library", "bom-ref": purl, name, version, licenses: [licenceEntry(licence)], purl };
}

/** An SPDX expression is not an id; CycloneDX wants it under another key. */
function licenceEntry(licence: string): object {
  if (/ (?:OR|AND|WITH) /.test(licence)) return { expression: licence };
  return /^[\w.+-]+$/.test(licence) ? { license: { id: licence } } : { license: { name: licence } };
}

function runtimeComponent(pin: RuntimePin): SbomComponent {
  const purl = `pkg:npm/${pin.npmPackage}@${pin.version}`;
  return {
    type: "platform",
    "bom-ref": purl,
    name: "node",
    version: pin.version,
    description: `Node.js for ${pin.name}${pin.strip ? ", without symbol table and debug information" : ""}`,
    hashes: [{ alg: "SHA-256", content: pin.packagedSha256 }],
    licenses: [{ license: { id: "MIT" } }],
    purl,
  };
}

function fileComponent(file: { readonly name: string; readonly content: Uint8Array }): SbomComponent {
  return {
    type: "file",
    "bom-ref": `file:${file.name}`,
    name: file.name,
    hashes: [{ alg: "SHA-256", content: sha256(file.content) }],
  };
}

/** A UUID in the form of version 8 (own scheme), from the digest of the content. */
function uuidOf(text: string): string {
  const hex = sha256(Buffer.from(text));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
