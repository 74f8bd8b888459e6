import { AzureCliCredential } from "@azure/identity";
import { openArm } from "./open-arm.ts";
import { runLogs, type LogsOptions } from "./logs.ts";
import { readReport } from "./read-report.ts";
import { runProgram } from "./run-program.ts";

export type OpenLogsOptions = Pick<
  LogsOptions,
  "machine" | "namespace" | "lines" | "kubectl" | "world" | "print" | "printError" | "signal"
> & {
  readonly cloud: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** `logs` with the person's own logins: kubectl's, and that of the Azure CLI. */
export async function openLogs({ cloud, env, ...options }: OpenLogsOptions): Promise<number> {
  const client = await openArm({ cloud }, env);
  return runLogs({
    ...options,
    run: runProgram,
    client,
    fetchText: async (url, signal) => {
      const response = await fetch(url, { signal });
      if (!response.ok) throw new Error(`HTTP ${String(response.status)}`);
      return response.text();
    },
    readReport: (place, asked) => readReport(place, { credential: new AzureCliCredential(), signal: asked }),
  });
}
