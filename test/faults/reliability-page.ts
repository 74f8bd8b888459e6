import { faultPlan, type PlannedFault } from "./fault-plan.ts";

const number = new Intl.NumberFormat("en-US");

/** The table of docs/reliability.md: a test that loses a trial fails, so what was tried has survived. */
export function reliabilityRows(): readonly string[] {
  const faults: readonly PlannedFault[] = Object.values(faultPlan);
  return faults.map(({ fault, trial, tries, needs, file }) => {
    const tried = number.format(tries);
    return [fault, needs === undefined ? trial : `${trial} (${needs})`, tried, tried, "0", `\`${file}\``].join(" | ");
  });
}
