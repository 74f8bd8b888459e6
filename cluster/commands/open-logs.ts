import { AzureCliCredential } from "@azure/identity";
import { createArmClient } from "../arm/arm-client.ts";
import { azureEndpoint } from "./azure-credential.ts";
import { runLogs, type LogsOptions } from "./logs.ts";
import { readNewestReport } from "./read-report.ts";
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
  const endpoint = await azureEndpoint(env, { cloud, asPerson: true });
  if (endpoint === undefined) throw new Error("a person's login is always there to be tried");
  return runLogs({
    ...options,
    run: runProgram,
    client: createArmClient(endpoint),
    fetchText: async (url, signal) => {
      const response = await fetch(url, { signal });
      if (!response.ok) throw new Error(`HTTP ${String(response.status)}`);
      return response.text();
    },
    readReport: (container, vmId) => readNewestReport(container, vmId, new AzureCliCredential()),
  });
}
