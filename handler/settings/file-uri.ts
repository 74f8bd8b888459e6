import { Secret } from "./secret.ts";
import type { FileUri } from "./settings.ts";

const pin = /^#sha256=(?<digest>[0-9a-f]{64})$/i;

/** The address and its pin. The fragment of a URL is never sent, so the Custom Script handler takes the same text. */
export function parseFileUri(text: string): FileUri {
  const at = text.indexOf("#");
  const digest = at === -1 ? undefined : pin.exec(text.slice(at))?.groups?.["digest"];
  return digest === undefined
    ? { uri: new Secret(text), sha256: undefined }
    : { uri: new Secret(text.slice(0, at)), sha256: digest.toLowerCase() };
}

/** What is wrong with a pin; a file that was meant to be pinned must not run without one. */
export function pinProblem(text: string): string | undefined {
  const at = text.indexOf("#");
  const fragment = at === -1 ? "" : text.slice(at);
  if (!fragment.toLowerCase().includes("sha") || pin.test(fragment)) return undefined;
  return "its part behind # is no pin; a pin is #sha256= and 64 hexadecimal digits";
}
