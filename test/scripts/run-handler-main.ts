import { createHost } from "../../handler/create-host.ts";
import { runInForeground } from "../../handler/operations/run-in-foreground.ts";

/**
 * `capz-bootstrap run` with the bundle of a given folder and a clock that runs faster, so that a deadline of 30 s
 * comes in a moment. Everything else is the real handler. Arguments: program folder, settings file, speed.
 */
const [programFolder = "", settingsFile = "", speed = "1"] = process.argv.slice(2);
const host = createHost();
const factor = Number(speed);
process.exitCode = await runInForeground(
  {
    ...host,
    programFolder,
    monotonicMs: () => host.monotonicMs() * factor,
    sleep: (ms, signal) => host.sleep(ms / factor, signal),
  },
  { settingsFile, json: true, quiet: true },
);
