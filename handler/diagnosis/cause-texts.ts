import type { CauseText } from "./cause-text.ts";
import { clusterCauses } from "./cause-texts-cluster.ts";
import { nodeCauses } from "./cause-texts-node.ts";
import { platformCauses } from "./cause-texts-platform.ts";
import type { Cause } from "./causes.ts";

/** Every cause of the taxonomy, in words. */
export const causeTexts: Readonly<Record<Cause, CauseText>> = { ...nodeCauses, ...clusterCauses, ...platformCauses };
