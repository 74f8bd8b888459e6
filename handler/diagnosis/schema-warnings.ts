import type { LineRange } from "./unwrap.ts";

const warned = /schema\.py\[WARNING\]: (?:Invalid|Deprecated|cloud-config failed schema)/u;
/** The keys that it did not know, one a line, below the warning. */
const listed = /^(?:[\w.-]{1,60}: |Please run )\S/u;
const mostListed = 12;
const failures = ["[ERROR]: ", "[CRITICAL]: ", "Failed to run module", "Failed running", "'>) failed", "Traceback "];

/** cloud-init leaves out the keys that it does not know: where it came to its end without a failure, they are not missed. */
export function rangesOfSchemaWarnings(text: string): readonly LineRange[] {
  if (!text.includes("schema.py[WARNING]: ") || failures.some((failure) => text.includes(failure))) return [];
  const lines = text.split("\n");
  const end = lines.findLastIndex((line) => line.includes("Cloud-init v. ") && line.includes(" finished at "));
  return lines.flatMap((line, at) => {
    if (at > end || !warned.test(line)) return [];
    const rest = lines.slice(at + 1, at + 1 + mostListed).findIndex((one) => !listed.test(one));
    return [{ from: at + 1, to: at + 1 + (rest === -1 ? mostListed : rest) }];
  });
}
