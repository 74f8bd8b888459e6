import type { JsonObject } from "../../text/parse-json.ts";

/**
 * CAPZ's first extension, under the same type names as this one: publisher Microsoft.Azure.ContainerUpstream, versions 1.0.0 and 1.1.1. What
 * a template with that publisher or version installs is another program, and this one's settings mean nothing to it.
 */
export function namesFirstExtension(entry: JsonObject): boolean {
  const type = [entry["type"], entry["name"]].find((name) => isTypeOfCapz(name));
  if (type === undefined) return false;
  const version = entry["typeHandlerVersion"] ?? entry["version"];
  return (
    entry["publisher"] === "Microsoft.Azure.ContainerUpstream" ||
    (typeof version === "string" && /^1\.[01]\b/u.test(version))
  );
}

export const firstExtensionWarning =
  'it names publisher "Microsoft.Azure.ContainerUpstream" or version 1.0 or 1.1: that is CAPZ\'s first extension, another program, which takes none of these settings but commandToExecute; write the publisher of yours and version "2.0"';

function isTypeOfCapz(name: unknown): boolean {
  return typeof name === "string" && /^CAPZ\.(?:Linux|Windows)\.Bootstrapping$/iu.test(name);
}
