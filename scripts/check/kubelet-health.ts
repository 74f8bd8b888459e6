import { askAll, askOne, askPaths, changedAt, type Asking } from "./ask-many.ts";
import type { NodeProof } from "./evidence.ts";
import type { NodeLayout } from "./node-layouts.ts";
import type { Answers } from "./questions.ts";

const healthzPort = 10_248;
/** As KubeletConfiguration and the kubelet's flags name where its health is asked for. */
const usualPort = "healthzPort: 10248";
const usualAddresses = ["127.0.0.1", '"::1"', "0.0.0.0", '"::"'].map((address) => `healthzBindAddress: ${address}`);
const addressWords = ["healthz-port", "healthz-bind-address", "healthzPort:", "healthzBindAddress:"];

/** How the kubelet answers on loopback. One that is configured to answer elsewhere, or nowhere, says nothing by its silence. */
export function* observeHealthz(layout: NodeLayout): Asking<NodeProof["healthz"]> {
  const answer = yield* askOne({ ask: "healthz", port: healthzPort });
  if (answer === undefined || answer.kind === "no-answer") return "not-told";
  if (answer.kind === "refused") return (yield* answersElsewhere(layout)) ? "not-told" : "refused";
  return answer.status === 200 ? "ok" : "failing";
}

function* answersElsewhere({ configuration = [] }: NodeLayout): Asking<boolean> {
  const words = [...addressWords, usualPort, ...usualAddresses];
  const files = yield* withDropIns(configuration);
  const answers = yield* askAll(files.map((path) => ({ ask: "mentions", path, words })));
  return answers.some((answer) => answer?.kind === "mentions" && isUnusual(answer.words));
}

function isUnusual(words: readonly string[]): boolean {
  if (words.includes("healthz-port") || words.includes("healthz-bind-address")) return true;
  if (words.includes("healthzPort:") && !words.includes(usualPort)) return true;
  return words.includes("healthzBindAddress:") && !usualAddresses.some((usual) => words.includes(usual));
}

const hasMoreFiles = /^\/etc\/(?:rancher|systemd)\//u;
const mostFiles = 20;

/** k3s and RKE2 read all of config.yaml.d behind config.yaml, and a service its drop-ins. */
function namesIn(folder: string, answer: Answers["names"] | undefined): readonly string[] {
  return answer?.kind === "names" ? answer.names.slice(0, mostFiles).map((name) => `${folder}/${name}`) : [];
}

function* withDropIns(configuration: readonly string[]): Asking<readonly string[]> {
  const folders = configuration.filter((path) => hasMoreFiles.test(path)).map((path) => `${path}.d`);
  const more = yield* askAll(folders.map((folder) => ({ ask: "names", folder })));
  return [...configuration, ...folders.flatMap((folder, index) => namesIn(folder, more[index]))];
}

/**
 * Does a distribution keep its node's files in a folder of the user's choice? Its configuration says so, though not where: a token stands beside
 * it. One that is older than the instance is a donor's.
 */
export function* isKeptElsewhere(
  { configuration = [] }: NodeLayout,
  { since, word }: { readonly since: number | undefined; readonly word: string | undefined },
): Asking<boolean> {
  if (since === undefined || word === undefined) return false;
  const files = yield* withDropIns(configuration);
  const seen = yield* askPaths(files);
  const own = files.filter((path) => (changedAt(seen, path) ?? Number.NEGATIVE_INFINITY) >= since);
  const answers = yield* askAll(own.map((path) => ({ ask: "mentions", path, words: [word] })));
  return answers.some((answer) => answer?.kind === "mentions" && answer.words.length > 0);
}
