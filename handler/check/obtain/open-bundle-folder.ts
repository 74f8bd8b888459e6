import { existsSync } from "node:fs";
import { join } from "node:path";
import { HandlerError } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import type { ObtainedCheck } from "../obtained-check.ts";
import { requireFit } from "./bundle-fit.ts";
import { entryOf } from "./obtain-bundle.ts";
import { placeBundle } from "./place-bundle.ts";
import { readBundle, readFromFolder } from "./read-bundle.ts";

export interface OpenBundleFolder {
  readonly host: Host;
  readonly folder: string;
  readonly workFolder: string;
  readonly handlerVersion: string;
}

/**
 * A bundle that lies in a folder, with every test of a downloaded one but the signature: digests, sizes, names, protocol and
 * version. Runs from a private copy, as on a node.
 * @throws HandlerError checkUnavailable, checkUntrusted or checkIncompatible
 */
export async function openBundleFolder(request: OpenBundleFolder): Promise<Extract<ObtainedCheck, { kind: "bundle" }>> {
  const { host, folder, workFolder, handlerVersion } = request;
  if (!existsSync(join(folder, "bundle.json"))) {
    throw new HandlerError(
      "checkUnavailable",
      `There is no bundle.json in "${folder}". Next: Make the bundle with "npm run bundle -- --from ${folder} --version VERSION", and name the folder that it writes`,
    );
  }
  const bundle = await readBundle(readFromFolder(folder), folder, {
    accept: (manifest) => {
      requireFit(manifest, { host, handlerVersion, wanted: undefined }, folder);
      return Promise.resolve();
    },
  });
  const placed = await placeBundle(bundle, workFolder);
  const { version, protocol, watch } = bundle.manifest;
  return {
    kind: "bundle",
    entry: entryOf(placed, protocol, host),
    rules: join(placed, "rules.json"),
    version,
    watch,
    origin: "downloaded",
    warnings: [],
  };
}
