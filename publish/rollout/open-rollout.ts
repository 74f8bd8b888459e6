import type { TokenCredential } from "@azure/identity";
import { readGivenText } from "../given-file.ts";
import { readExtensionDefinition, type OperatingSystem } from "../extension-definition.ts";
import { PublishError, WrongUse } from "../publish-error.ts";
import { isLoopback, serviceAddress } from "../service-address.ts";
import { createArmPublisher } from "./arm-publisher.ts";
import { assumeState } from "./assumed-publisher.ts";
import { cloudNames, cloudOf, type Cloud, type CloudName } from "./cloud.ts";
import { createDryTransport } from "./dry-transport.ts";
import { readPlan, type CloudPlan } from "./plan.ts";
import type { Clock, PublishedVersion, Publisher } from "./publisher.ts";
import { createRdfePublisher } from "./rdfe-publisher.ts";
import { createTransport, type Transport } from "./send-request.ts";
import type { Rollout } from "./steps.ts";

export interface RolloutOptions {
  readonly plan: string;
  readonly cloud: string;
  /** Read the service and apply every guard, but send nothing that changes anything. */
  readonly check: boolean;
  /** Print the requests; no login, nothing is sent. */
  readonly dryRun: boolean;
  /** Address to use in the place of the cloud's own; on loopback nobody signs in. */
  readonly endpoint?: string;
}

const realClock: Clock = {
  now: () => new Date(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** The cloud and its plan. Everything that can be wrong with the options is told here, before anyone has to sign in. */
export async function openPlan(options: RolloutOptions): Promise<CloudPlan> {
  const isPlayed = options.endpoint !== undefined && isLoopback(endpointOf(options.endpoint));
  const plan = await readPlan(options.plan, cloudName(options.cloud), options.dryRun || isPlayed);
  if (!options.dryRun && !isPlayed) await requireOwnPublisher();
  return plan;
}

/** The examples' publisher is nobody's: Azure would refuse it after the login, and every example would have to be changed again. */
async function requireOwnPublisher(): Promise<void> {
  const { publisher } = await readExtensionDefinition("Linux");
  if (!publisher.startsWith("Example.")) return;
  throw new PublishError(
    `manifests/extension-image.json has the publisher of the examples, ${publisher}.`,
    "Write the publisher that Azure has approved for your subscription there and in HandlerManifest.json, and in the examples that you hand out.",
  );
}

/** The rollout of one system's package in one cloud. `assumed`: what a dry run takes the service to hold. */
export async function openRollout(
  os: OperatingSystem,
  options: RolloutOptions,
  assumed: (plan: CloudPlan) => readonly PublishedVersion[] = () => [],
): Promise<Rollout> {
  const plan = await openPlan(options);
  const definition = await readExtensionDefinition(os);
  const opening: Opening = { definition, plan, clock: realClock, options, cloud: cloudOf(plan.cloud) };
  const publisher = plan.backend === "arm" ? await openArm(opening) : await openRdfe(opening);
  const rollout = { plan, clock: realClock, dryRun: options.check };
  return { ...rollout, publisher: options.dryRun ? assumeState(publisher, assumed(plan)) : publisher };
}

function cloudName(wanted: string): CloudName {
  const name = cloudNames.find((known) => known === wanted);
  if (name !== undefined) return name;
  throw new WrongUse(`There is no cloud "${wanted}".`, `Allowed: ${cloudNames.join(", ")}.`);
}

interface Opening extends Pick<Parameters<typeof createRdfePublisher>[0], "definition" | "plan" | "clock"> {
  readonly options: RolloutOptions;
  readonly cloud: Cloud;
}

async function openArm(opening: Opening): Promise<Publisher> {
  const { options, cloud } = opening;
  const endpoint = options.endpoint === undefined ? cloud.arm : endpointOf(options.endpoint).origin;
  const credential = await credentialFor(options, { endpoint, cloud });
  return createArmPublisher({ ...opening, endpoint, credential, send: transportOf(opening) });
}

async function credentialFor(
  { dryRun }: RolloutOptions,
  { endpoint, cloud }: { readonly endpoint: string; readonly cloud: Cloud },
): Promise<TokenCredential> {
  // The token of an identity goes to Azure only, never to a registry that is played on this machine.
  if (dryRun || isLoopback(new URL(endpoint))) {
    return { getToken: () => Promise.resolve({ token: "none", expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) };
  }
  const { DefaultAzureCredential } = await import("@azure/identity");
  return new DefaultAzureCredential({ authorityHost: cloud.authority });
}

async function openRdfe(opening: Opening): Promise<Publisher> {
  const { options, cloud } = opening;
  const endpoint = options.endpoint === undefined ? cloud.serviceManagement : endpointOf(options.endpoint).origin;
  if (options.dryRun) return createRdfePublisher({ ...opening, endpoint, send: transportOf(opening) });
  const file = process.env["CAPZ_MANAGEMENT_CERTIFICATE"];
  if (file === undefined) {
    throw new PublishError(
      "The classic service wants a management certificate.",
      "Set CAPZ_MANAGEMENT_CERTIFICATE to the path of a PEM file that holds certificate and key.",
    );
  }
  const pem = await readGivenText(file, {
    what: "management certificate",
    next: "Set CAPZ_MANAGEMENT_CERTIFICATE to the path of a PEM file that holds certificate and key.",
  });
  const send = createTransport({ ...opening, certificate: { cert: pem, key: pem } });
  return createRdfePublisher({ ...opening, endpoint, send });
}

function transportOf(opening: Opening): Transport {
  if (!opening.options.dryRun) return createTransport(opening);
  return createDryTransport(opening.plan.backend, (text) => process.stdout.write(text));
}

function endpointOf(text: string): URL {
  const url = serviceAddress(text);
  if (url !== undefined) return url;
  throw new WrongUse(
    `--endpoint is "${text}".`,
    "Give the address of a registry: https://…, or http://127.0.0.1:PORT for one that is played on this machine.",
  );
}
