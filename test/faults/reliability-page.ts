import { faultPlan, type PlannedFault } from "./fault-plan.ts";

const number = new Intl.NumberFormat("en-US");

/** The table of docs/reliability.md: what the tests try. What came of it only a run can say. */
export function reliabilityRows(): readonly string[] {
  const faults: readonly PlannedFault[] = Object.values(faultPlan);
  return faults.map(({ fault, trial, tries, needs, file }) => {
    return [fault, needs === undefined ? trial : `${trial} (${needs})`, number.format(tries), `\`${file}\``].join(
      " | ",
    );
  });
}
