import { HandlerError } from "../errors/handler-error.ts";
import { linux } from "./linux.ts";
import type { Platform } from "./platform.ts";
import { createWindows, type WindowsSystem } from "./windows.ts";

/** `windows` is only asked for on Windows. */
export function selectPlatform(name: string, windows: () => WindowsSystem): Platform {
  if (name === "linux") return linux;
  if (name === "win32") return createWindows(windows());
  throw new HandlerError("platformUnsupported", `Cannot run on "${name}": supported are linux and win32`);
}
