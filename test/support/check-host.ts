import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "../../handler/create-host.ts";
import type { Host } from "../../handler/host.ts";
import { linux } from "../../handler/platform/linux.ts";

/** The real host, over a scratch root. */
export function checkHost(): Host {
  const root = mkdtempSync(join(tmpdir(), "capz-check-"));
  return { ...createHost(linux), root, programFolder: join(root, "program"), platform: linux };
}

/** Settings of a command without any wish. */
export const commandSettings = {
  kind: "command",
  fileUris: [],
  skipDos2Unix: false,
  restart: "never",
  runAsUser: undefined,
  removeFiles: false,
  lookBeside: true,
} as const;

/** The same with a clock that runs `factor` times as fast: pauses of minutes pass in a blink, in their true proportion. */
export function fastHost(host: Host, factor = 100): Host {
  const start = performance.now();
  return {
    ...host,
    monotonicMs: () => (performance.now() - start) * factor,
    sleep: (ms, signal) => host.sleep(ms / factor, signal),
  };
}
