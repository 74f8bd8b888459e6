import { HandlerError } from "../errors/handler-error.ts";
import { parseManifest, untrusted } from "./bundle.ts";
import { checkProtocol } from "./check-environment.ts";
import { compareVersions } from "./compare-versions.ts";
import type { Obtain } from "./obtain-request.ts";

/** Version that version.ts gives to sources that run unbuilt. */
const unbuilt = "0.0.0";

/** Throws unless an accepted bundle.json is for this wish, this handler and this system. */
export function requireFit(bytes: Buffer, request: Obtain<"probe">, source: string): void {
  const manifest = parseManifest(bytes, source);
  const wanted = request.settings.check.version;
  // A genuine signature over another version is a replay: an old bundle with a known gap would be let in.
  if (wanted !== undefined && manifest.version !== wanted) {
    throw untrusted(source, `it is version ${manifest.version}, checkVersion says ${wanted}`);
  }
  const { handlerVersion } = request;
  if (handlerVersion !== unbuilt && compareVersions(handlerVersion, manifest.minimumHandlerVersion) < 0) {
    throw incompatible(
      source,
      `it needs handler ${manifest.minimumHandlerVersion} or later, this is ${handlerVersion}`,
    );
  }
  if (manifest.protocol !== checkProtocol) {
    throw incompatible(
      source,
      `it speaks protocol ${String(manifest.protocol)}, this handler speaks ${String(checkProtocol)}`,
    );
  }
  const { checkScript } = request.host.platform.paths(request.host.root);
  for (const name of [checkScript, "rules.json"]) {
    if (!manifest.files.some((file) => file.name === name)) throw incompatible(source, `it has no ${name}`);
  }
}

function incompatible(source: string, reason: string): HandlerError {
  return new HandlerError("checkIncompatible", `Cannot use the check bundle from ${source}: ${reason}`);
}
