import { createArmClient, type ArmClient } from "../arm/arm-client.ts";
import { azureEndpoint } from "./azure-credential.ts";

/** Azure with a person's own login, or the workload identity where its variables are. */
export async function openArm(
  { cloud, armOrigin }: { readonly cloud: string; readonly armOrigin?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Promise<ArmClient> {
  if (armOrigin !== undefined) return createArmClient({ origin: armOrigin, token: () => Promise.resolve("test") });
  const endpoint = await azureEndpoint(env, { cloud, asPerson: true });
  if (endpoint === undefined) throw new Error("a person's login is always there to be tried");
  return createArmClient(endpoint);
}
