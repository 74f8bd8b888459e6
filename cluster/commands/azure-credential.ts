import { readFile } from "node:fs/promises";
import type { ArmEndpoint } from "../arm/arm-client.ts";

/** Resource managers of the clouds, by the name that CAPZ gives a cloud. */
export const clouds: Readonly<Record<string, string>> = {
  AzurePublicCloud: "https://management.azure.com",
  AzureUSGovernmentCloud: "https://management.usgovcloudapi.net",
  AzureChinaCloud: "https://management.chinacloudapi.cn",
};

const identityVariables = ["AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"] as const;

/**
 * The workload identity of the Pod, where its variables are; the library's constructor throws where one is missing. For a person's
 * commands, the login of the Azure CLI. Undefined: there is no identity, and Azure is not asked.
 */
export async function azureEndpoint(
  env: Readonly<Record<string, string | undefined>>,
  { cloud, asPerson }: { readonly cloud: string; readonly asPerson: boolean },
): Promise<ArmEndpoint | undefined> {
  const origin = clouds[cloud];
  if (origin === undefined)
    throw new Error(`There is no cloud "${cloud}"; known are ${Object.keys(clouds).join(", ")}`);
  const hasIdentity = identityVariables.every((name) => env[name] !== undefined && env[name] !== "");
  if (!hasIdentity && !asPerson) return undefined;
  const { AzureCliCredential, WorkloadIdentityCredential } = await import("@azure/identity");
  const authorityHost = env["AZURE_AUTHORITY_HOST"];
  const credential = hasIdentity
    ? new WorkloadIdentityCredential(authorityHost === undefined ? {} : { authorityHost })
    : new AzureCliCredential();
  const tokenFile = hasIdentity ? env["AZURE_FEDERATED_TOKEN_FILE"] : undefined;
  return {
    origin,
    token: async (signal) => {
      if (tokenFile !== undefined) await requireToken(tokenFile, asPerson);
      return (await credential.getToken(`${origin}/.default`, { abortSignal: signal })).token;
    },
  };
}

/** The library's own error names neither the variable nor what the file is for. */
async function requireToken(file: string, asPerson: boolean): Promise<void> {
  try {
    await readFile(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = asPerson ? "; unset it to ask with the login of the Azure CLI" : "";
    throw new Error(`the token file that AZURE_FEDERATED_TOKEN_FILE names cannot be read: ${why}${hint}`, {
      cause: error,
    });
  }
}

/** Which of the variables are missing, for the line that says why Azure is not asked. */
export function missingVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return identityVariables.filter((name) => env[name] === undefined || env[name] === "");
}
