import type { ObtainRequest } from "./obtain-request.ts";
import type { ObtainedCheck } from "../obtained-check.ts";

/** Puts the check on disk, verified and ready to run. */
export async function obtainCheck(request: ObtainRequest): Promise<ObtainedCheck> {
  const { settings } = request;
  const { check } = settings;
  switch (check.kind) {
    case "bundle": {
      const { obtainBundle } = await import("./obtain-bundle.ts");
      return await obtainBundle({ ...request, settings: { ...settings, check } });
    }
    case "command": {
      const { obtainCommand } = await import("./obtain-command.ts");
      return await obtainCommand({ ...request, settings: { ...settings, check } });
    }
  }
}
