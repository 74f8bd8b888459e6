import type { Evidence } from "./evidence.ts";
import { failed, waiting, type Judgement } from "./judgement.ts";
import { judgeService } from "./judge-service.ts";
import { installUnit } from "./node-layouts.ts";
import { serviceWords } from "./words.ts";

/** RKE2 writes the sentinel in a command of its own, also when the steps before it failed: its service has to agree. */
export function judgeRke2(evidence: Evidence): Judgement {
  const judgement = judgeService(evidence, {
    provider: "rke2",
    renewsAtStart: true,
    stageWhileStarting: (state) => `rke2-${state}`,
  });
  return judgement.kind === "waiting" ? (judgeInstaller(evidence) ?? judgement) : judgement;
}

/** With Ignition a unit of its own installs RKE2, once in a boot. */
function judgeInstaller({ services, nodes }: Evidence): Judgement | undefined {
  const unit = services[installUnit];
  const isInstalled = nodes["rke2"]?.services.some(({ state }) => state !== "missing") !== false;
  if (unit === undefined || isInstalled) return undefined;
  if (unit.state === "failed")
    return failed("BootstrapServiceFailed", `${unit.name} failed (${unit.why}), and nothing has installed RKE2.`);
  return unit.state === "missing" ? undefined : waiting("waiting-for-service", serviceWords(unit));
}
