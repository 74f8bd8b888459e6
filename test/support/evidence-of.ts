import type { LogOrigin } from "../../handler/diagnosis/line-event.ts";
import type { ShippedRule } from "../../handler/diagnosis/rule.ts";

/** Files a fixture where the rule's own evidence lies on a node: under all sources that the rule reads. */
export function evidenceOf(rule: ShippedRule): LogOrigin {
  const [source = "cloud-init-output", ...also] = rule.sources === "any" ? [] : rule.sources;
  return { source, also, origin: "match.log" };
}
