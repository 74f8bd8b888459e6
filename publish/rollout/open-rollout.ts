import { readFile } from "node:fs/promises";
import { readExtensionDefinition, type OperatingSystem } from "../extension-definition.ts";
import { PublishError } from "../publish-error.ts";
import { createArmPublisher } from "./arm-publisher.ts";
import { cloudNames, cloudOf, type Cloud } from "./cloud.ts";
import { readPlan } from "./plan.ts";
import type { Clock, Publisher } from "./publisher.ts";
import { createRdfePublisher } from "./rdfe-publisher.ts";
import { createTransport } from "./send-request.ts";
import type { Rollout } from "./steps.ts";

export interface RolloutOptions {
  readonly plan: string;
  readonly cloud: string;
  readonly dryRun: boolean;
}

const realClock: Clock = {
  now: () => new Date(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** The rollout of one system's package in one cloud, by the plan and with the identity or certificate at hand. */
export async function openRollout(os: OperatingSystem, options: RolloutOptions): Promise<Rollout> {
  const name = cloudNames.find((known) => known === options.cloud);
  if (name === undefined) {
    throw new PublishError(`There is no cloud "${options.cloud}".`, `Allowed: ${cloudNames.join(", ")}.`);
  }
  const plan = await readPlan(options.plan, name);
  const definition = await readExtensionDefinition(os);
  const shared = { definition, plan, clock: realClock };
  const cloud = cloudOf(name);
  const publisher = plan.backend === "arm" ? await openArm(shared, cloud) : await openRdfe(shared, cloud);
  return { publisher, plan, clock: realClock, dryRun: options.dryRun };
}

type Shared = Pick<Parameters<typeof createRdfePublisher>[0], "definition" | "plan" | "clock">;

async function openArm(shared: Shared, cloud: Cloud): Promise<Publisher> {
  const { DefaultAzureCredential } = await import("@azure/identity");
  const credential = new DefaultAzureCredential({ authorityHost: cloud.authority });
  return createArmPublisher({ ...shared, endpoint: cloud.arm, credential, send: createTransport(shared) });
}

async function openRdfe(shared: Shared, cloud: Cloud): Promise<Publisher> {
  const file = process.env["CAPZ_MANAGEMENT_CERTIFICATE"];
  if (file === undefined) {
    throw new PublishError(
      "The classic service wants a management certificate.",
      "Set CAPZ_MANAGEMENT_CERTIFICATE to the path of a PEM file that holds certificate and key.",
    );
  }
  const pem = await readFile(file, "utf8");
  const send = createTransport({ ...shared, certificate: { cert: pem, key: pem } });
  return createRdfePublisher({ ...shared, endpoint: cloud.serviceManagement, send });
}
