import { HandlerError } from "../errors/handler-error.ts";
import { linux } from "./linux.ts";
import type { Platform } from "./platform.ts";

/** The only reader of process.platform. */
export function selectPlatform(name: string = process.platform): Platform {
  if (name === "linux") return linux;
  throw new HandlerError("platformUnsupported", `Cannot run on "${name}": supported are linux and win32`);
}
