import type { Meaning } from "./meaning.ts";
import { runtime, controlPlane, stores, agents, network } from "./meanings-cluster.ts";
import { packages, provisioning } from "./meanings-provisioning.ts";
import { configuration, trust } from "./meanings-trust.ts";
import { steps } from "./meanings-steps.ts";
import { everywhere, joining, machine, images, downloads } from "./meanings-machine.ts";

/** In this order; the most general last. */
export const meanings: readonly Meaning[] = [
  ...everywhere,
  ...joining,
  ...machine,
  ...agents,
  ...provisioning,
  ...packages,
  ...images,
  ...downloads,
  ...runtime,
  ...controlPlane,
  ...trust,
  ...configuration,
  ...network,
  ...stores,
  ...steps,
];
