import { machineNamed } from "./machine-named.ts";
import type { FoundSituation } from "./situation.ts";
import { unfoldEscapes } from "./unescape-json.ts";

/** CAPZ's errors in its log and its events (azure/services/vmextensions/vmextensions.go). */
const capzFailed = "This likely means the Kubernetes node bootstrapping process failed or timed out";
const capzWaits = "This likely means that bootstrapping has not yet completed on the VM";
/**
 * Our launcher's own words (bin/capz-bootstrap and its .cmd), as the guest agent quotes what a command of the manifest printed. The
 * program that it starts begins its lines alike, on the console as well.
 */
const launcherLine =
  /^capz-bootstrap: (?<words>[^\n]{0,300}(?:needs glibc|no program for the architecture|cannot be run\. Is the file|not unpacked completely)[^\n]{0,300})$/mu;
/** The operation in the activity log when Azure takes a Spot machine back. */
const eviction = /\bevictSpotVM\b/iu;

/** What a text says of a machine, where it holds neither a verdict nor an error that names a cause. */
export function readPlainSituation(text: string): FoundSituation | undefined {
  const subject = machineNamed(text);
  const words = launcherLine.exec(unfoldEscapes(text))?.groups?.["words"];
  if (words !== undefined) return { kind: "extension-cannot-start", subject, detail: words.trim() };
  if (eviction.test(text)) return { kind: "machine-evicted", subject };
  if (text.includes(capzFailed)) return { kind: "condition-without-cause", subject };
  return text.includes(capzWaits) ? { kind: "condition-in-progress", subject } : undefined;
}
