import { askAll, askOne, type Asking } from "./ask-many.ts";
import { readEarlierOutput, readOutputLog, type InstanceRun, type LoggedOutcome } from "./cloud-init.ts";
import type { CloudInitSeen } from "./observe-cloud-init.ts";
import type { Traces } from "./providers.ts";
import type { Answers } from "./questions.ts";

const outputLog = "/var/log/cloud-init-output.log";

/** kubeadm init puts a certificate into kubelet.conf, and one of its last phases takes it out again, where the kubelet has one of its own. */
export function* isUnfinished({ role }: Traces): Asking<boolean> {
  if (role !== "control-plane") return false;
  const [kubeconfig, kubelet] = yield* askAll([
    { ask: "mentions", path: "/etc/kubernetes/kubelet.conf", words: ["client-certificate-data"] },
    { ask: "mentions", path: "/var/lib/kubelet/config.yaml", words: ["rotateCertificates: false"] },
  ]);
  return holdsAny(kubeconfig) && !holdsAny(kubelet);
}

function holdsAny(answer: Answers["mentions"] | undefined): boolean {
  return answer?.kind === "mentions" && answer.words.length > 0;
}

/** How it ended, by what cloud-init kept of its output. */
export function* observeOutcome(
  providers: readonly string[],
  { provisioning, instanceSince, commandsSince }: CloudInitSeen,
): Asking<LoggedOutcome> {
  const unknown: LoggedOutcome = { outcome: { kind: "unknown" }, isOwn: false };
  if (!providers.some((name) => name === "kubeadm" || name === "custom")) return unknown;
  const log = yield* askOne({ ask: "log", path: outputLog });
  const text = log?.kind === "text" ? log.text : "";
  if (provisioning.userData !== "earlier-boot") return text === "" ? unknown : readOutputLog(text);
  const isDated = instanceSince !== undefined && commandsSince !== undefined;
  const own = isDated ? { since: instanceSince, until: commandsSince } : undefined;
  const found = readEarlierOutput(text, own);
  const mayBeRotated = own !== undefined && !found.isOwn && log !== undefined;
  return mayBeRotated ? yield* observeRotated({ own, text, found }) : found;
}

/** The user's commands ran before the log was rotated: what it was until then counts only where it dates their run. */
function* observeRotated(seen: {
  readonly own: InstanceRun;
  readonly text: string;
  readonly found: LoggedOutcome;
}): Asking<LoggedOutcome> {
  const { own, text, found } = seen;
  const rotated = yield* askOne({ ask: "log", path: `${outputLog}.1` });
  const whole = rotated?.kind === "text" ? readEarlierOutput(`${rotated.text}\n${text}`, own) : found;
  return whole.isOwn ? whole : found;
}
