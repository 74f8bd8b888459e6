import { answerScenarios } from "./answers.ts";
import { cloneScenarios } from "./clones.ts";
import { cloudInitScenarios } from "./cloud-init.ts";
import { hundredThousandScenarios } from "./from-100000.ts";
import { clockStepScenarios } from "./from-clock-steps.ts";
import { distributionScenarios } from "./distributions.ts";
import { fieldScenarios } from "./from-the-field.ts";
import { windowsFieldScenarios } from "./from-the-field-windows.ts";
import { historyScenarios } from "./from-histories.ts";
import { longRunScenarios } from "./from-long-runs.ts";
import { kubeletScenarios } from "./kubelets.ts";
import type { NamedScenario } from "./named-scenario.ts";
import { operatorScenarios } from "./from-operators.ts";
import { otherHandsScenarios } from "./from-other-hands.ts";
import { windowsScenarios } from "./windows.ts";

/** All machines that stand in memory; docs/truth-table.md lists them. */
export const namedScenarios: readonly NamedScenario[] = [
  ...cloudInitScenarios,
  ...cloneScenarios,
  ...windowsScenarios,
  ...historyScenarios,
  ...longRunScenarios,
  ...hundredThousandScenarios,
  ...clockStepScenarios,
  ...answerScenarios,
  ...operatorScenarios,
  ...otherHandsScenarios,
  ...fieldScenarios,
  ...kubeletScenarios,
  ...distributionScenarios,
  ...windowsFieldScenarios,
];
