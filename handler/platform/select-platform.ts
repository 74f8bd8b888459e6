import { HandlerError } from "../errors/handler-error.ts";
import type { Platform } from "./platform.ts";
import type { WindowsSystem } from "./windows.ts";

/** Loads one system's code alone: `enable` reads it on every goal state. `windows` is only asked for on Windows. */
export async function selectPlatform(name: string, windows: () => WindowsSystem): Promise<Platform> {
  if (name === "linux") {
    const { linux } = await import("./linux.ts");
    return linux;
  }
  if (name === "win32") {
    const { createWindows } = await import("./windows.ts");
    return createWindows(windows());
  }
  throw new HandlerError("platformUnsupported", `Cannot run on "${name}": supported are linux and win32`);
}
