import type { ProofMessage } from "../contract/verdict-substatus.ts";

/** What a proof says in a few words, most telling first: the first line under mode `report` is made of them. */
export function proofWords(proof: ProofMessage): readonly string[] {
  return [
    checkWords(proof),
    kubeletWords(proof),
    ...imageWords(proof),
    ...originWords(proof),
    ...certificateWords(proof),
  ]
    .concat(sentinelWords(proof))
    .filter((words) => words !== "");
}

function checkWords({ check }: ProofMessage): string {
  switch (check.says) {
    case "bootstrapped":
      return "the check says bootstrapped";
    case "failed":
      return `the check says failed (${check.reason ?? "no reason"})`;
    case "not-yet":
      return `the check says not yet (${(check.stage ?? "no stage").replaceAll("-", " ")})`;
    case "nothing":
      return "the check could not look";
  }
}

function kubeletWords({ kubelet }: ProofMessage): string {
  const name = kubelet.version === undefined ? "kubelet" : `kubelet ${kubelet.version}`;
  const words = { ok: "answers", failing: "is not healthy", refused: "does not run", "no-answer": "gives no answer" };
  return `${name} ${words[kubelet.health]}`;
}

/** Of a resource id ("key/value/key/value…") the names behind the gallery or the image. */
function imageWords({ image }: ProofMessage): readonly string[] {
  if (image === undefined) return [];
  const parts = image.split("/").filter((part) => part !== "");
  const isKey = (part: string, index: number): boolean =>
    index % 2 === 0 && /^(?:galleries|communitygalleries|sharedgalleries|images)$/iu.test(part);
  const at = parts.findIndex(isKey);
  const names = parts.slice(at).filter((_, index) => index % 2 === 1);
  return [`image ${at === -1 ? image : names.join("/")}`];
}

function originWords({ origin }: ProofMessage): readonly string[] {
  return origin.kind === "another-machine" ? ["made from another machine's disk"] : [];
}

function certificateWords({ certificates }: ProofMessage): readonly string[] {
  const [first] = certificates;
  return first === undefined
    ? []
    : [`certificate of ${first.name.replace(/^system:node:/u, "")} until ${first.notAfter.slice(0, 10)}`];
}

function sentinelWords({ sentinel }: ProofMessage): string {
  if (sentinel.state !== "present") return sentinel.state === "absent" ? "sentinel absent" : "";
  return sentinel.ageSeconds === undefined ? "sentinel present" : `sentinel ${String(sentinel.ageSeconds)} s old`;
}
