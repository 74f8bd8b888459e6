import { HandlerError } from "../errors/handler-error.ts";
import type { Platform } from "./platform.ts";
import type { WindowsSystem } from "./windows.ts";

/** Loads one system's code alone: `enable` reads it on every goal state. `windows` is only asked for on Windows. */
export async function selectPlatform(name: string, windows: () => WindowsSystem): Promise<Platform> {
  if (name === "linux") return (await import("./linux.ts")).linux;
  if (name === "win32") return (await import("./windows.ts")).createWindows(windows());
  throw new HandlerError("platformUnsupported", `Cannot run on "${name}": supported are linux and win32`);
}
