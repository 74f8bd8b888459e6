import { join } from "node:path";
import type { Deadline } from "../../check/deadline.ts";
import type { LookBeside, Observation } from "../../check/running/look-beside.ts";
import { waitsForSentinel } from "../../check/obtain/capz-wait.ts";
import { obtainCheck } from "../../check/obtain/obtain-check.ts";
import { lookUntilVerdict } from "../../check/looking/look-until-verdict.ts";
import type { Host } from "../../host.ts";
import type { CheckSettings, Settings } from "../../settings/settings.ts";
import { workFolder } from "../../state/run-state.ts";
import { takePrivateFolder } from "../../files/private-folder.ts";
import { handlerVersion } from "../../version.ts";
import type { Run } from "./run.ts";

/** The check that is in the package, without any download. */
export const packagedCheck: CheckSettings = {
  kind: "bundle",
  version: undefined,
  sha256: undefined,
  baseUris: [],
  required: false,
};

/**
 * The packaged check beside a command, until it is certain or the command has ended. Its processes carry a mark of their own, so
 * that ending them never touches the command.
 */
export function lookBesideCommand(run: Run, settings: Settings, deadline: Deadline): LookBeside {
  return async function* (signal) {
    const { context, marker } = run;
    const { host, identity, instance, sequence } = context;
    const folder = join(workFolder(instance, sequence), "beside");
    takePrivateFolder(folder);
    const common = {
      host,
      workFolder: folder,
      identity,
      deadline,
      signal,
      settings: { ...settings, check: packagedCheck },
    };
    const check = await obtainCheck({ ...common, handlerVersion });
    if (check.kind !== "bundle") return;
    const news = createQueue();
    const looking = lookUntilVerdict({
      ...common,
      check,
      marker: besideMarker(marker),
      ...(isDecisive(settings, host) && { onNearFailure: run.foresight.begin }),
      onProgress: ({ report }) => {
        news.add({ kind: "stage", report });
      },
    }).then(
      (outcome) => {
        if (outcome.kind === "passed" || outcome.kind === "failed") news.add({ kind: "verdict", outcome });
        news.end();
      },
      (error: unknown) => {
        news.end();
        throw error;
      },
    );
    yield* news.all();
    await looking;
  };
}

/** Beside a command that does more than to wait, the look only observes: no failure follows from it. */
function isDecisive({ check }: Settings, host: Host): boolean {
  return check.kind === "command" && waitsForSentinel(check.command, host);
}

export function besideMarker(marker: string): string {
  return `${marker}-beside`;
}

interface Queue {
  add(observation: Observation): void;
  end(): void;
  all(): AsyncGenerator<Observation>;
}

function createQueue(): Queue {
  const waiting: Observation[] = [];
  let ended = false;
  let wake = (): void => undefined;
  return {
    add(observation) {
      waiting.push(observation);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *all() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
