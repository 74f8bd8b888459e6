import { HandlerError } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { parseManifest, untrusted } from "./bundle.ts";
import { compareVersions } from "./compare-versions.ts";

/** Protocol of a bundle whose check is a script, and of one whose check is a program (scripts/check/questions.ts). */
export const scriptProtocol = 1;
const programProtocol = 2;

/** Name of the file that looks at the node. */
export function entryName(protocol: number, { platform, root }: Pick<Host, "platform" | "root">): string {
  return protocol === scriptProtocol ? platform.paths(root).checkScript : "check.cjs";
}

/** Version that version.ts gives to sources that run unbuilt. */
const unbuilt = "0.0.0";

export interface FitRequest {
  readonly host: Pick<Host, "platform" | "root">;
  readonly handlerVersion: string;
  /** The setting checkVersion. */
  readonly wanted: string | undefined;
}

/** Throws unless an accepted bundle.json is for this wish, this handler and this system. */
export function requireFit(bytes: Buffer, request: FitRequest, source: string): void {
  const manifest = parseManifest(bytes, source);
  const { wanted } = request;
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
  const { protocol } = manifest;
  if (protocol !== scriptProtocol && protocol !== programProtocol) {
    const ours = `${String(scriptProtocol)} and ${String(programProtocol)}`;
    throw incompatible(source, `it speaks protocol ${String(protocol)}, this handler speaks ${ours}`);
  }
  for (const name of [entryName(protocol, request.host), "rules.json"]) {
    if (!manifest.files.some((file) => file.name === name)) throw incompatible(source, `it has no ${name}`);
  }
}

function incompatible(source: string, reason: string): HandlerError {
  return new HandlerError("checkIncompatible", `Cannot use the check bundle from ${source}: ${reason}`);
}
