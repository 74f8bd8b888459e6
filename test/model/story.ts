import type { Fault } from "./played.ts";
import type { Attempt, Command, History, Life } from "./history.ts";

/** A counterexample as a page to read: the history in plain words, what the machine showed, what the check said, what is true. */
export function storyOf(history: History, fault: Fault): string {
  const { result, truth } = fault;
  const verdict =
    result === undefined
      ? "no answer"
      : `${result.verdict}, stage ${result.stage}${result.reason === undefined ? "" : `, reason ${result.reason}`}`;
  return [
    `# ${fault.rule}: ${truth.why}`,
    "",
    fault.detail,
    "",
    "## The machine",
    "",
    ...imageInWords(history).map((line) => `- ${line}`),
    ...lifeInWords(history.life).map((line) => `- ${line}`),
    "",
    "## What happens",
    "",
    ...history.commands.map((command) => `- ${commandInWords(command)}`),
    "",
    "## As the machine lived it",
    "",
    ...fault.machine.story.map((line) => `    ${line}`),
    "",
    "## What it shows at the wrong look",
    "",
    ...fault.observations.map(
      ({ question, answer }) =>
        `    ${JSON.stringify(question)} -> ${cut(JSON.stringify(answer.kind === "known" ? answer.value : answer.why))}`,
    ),
    "",
    "## Verdict and truth",
    "",
    `- The check said: ${verdict}.`,
    ...(result?.message === undefined ? [] : [`- Its message: ${result.message}`]),
    ...(result?.decidedBy ?? []).map((line) => `- Decided by: ${line}`),
    `- The truth: ${truth.kind}: ${truth.why}. No lie would be: ${truth.allowed.join(" or ")}.`,
    "",
  ].join("\n");
}

const cut = (text: string): string => (text.length > 400 ? `${text.slice(0, 200)} … ${text.slice(-200)}` : text);

function imageInWords({ system, image, seed }: History): readonly string[] {
  return [
    `${system}, cloud-init ${image.cloudInit}, kubelet ${image.kubelet}, seed ${String(seed)}`,
    ...(image.leftovers.length > 0 ? [`leftovers of ${image.leftovers.join(" and ")} in the image`] : []),
    ...(image.builderTraces ? ["traces of the machine that built the image"] : []),
    ...(image.sharedIdentity ? ["every clone of the image is a node by itself (one certificate for all)"] : []),
    ...(image.sentinel ? ["a sentinel in the image (Windows)"] : []),
    ...(system === "windows" || image.runIsMemory ? [] : ["/run is a folder of the disk"]),
    ...(image.clusterAgeDays > 0 ? [`the cluster is ${String(image.clusterAgeDays)} days old`] : []),
  ];
}

function lifeInWords(life: Life): readonly string[] {
  return [
    `${life.provider}, ${life.role}, user data: ${life.userData}`,
    `first run: ${attemptInWords(life.attempts[0])}`,
    `a later run: ${attemptInWords(life.attempts[1])}`,
    ...(life.nodeName === "other" ? ["the node is not named as its host"] : []),
    ...(life.setting === "named" ? ["the setting bootstrapProvider names the provider"] : []),
    ...(life.metadata === "missing" ? ["the instance metadata is missing"] : []),
  ];
}

function attemptInWords(attempt: Attempt): string {
  return [
    `join ${attempt.join}`,
    ...(attempt.before === "none" ? [] : [`command before it ${attempt.before}`]),
    ...(attempt.after === "none" ? [] : [`command after it ${attempt.after}`]),
    ...(attempt.unrelatedError ? ["an unrelated error of cloud-init"] : []),
    ...(attempt.queued ? ["the service is only queued"] : []),
    ...(attempt.restarts === "no" ? [] : [`restarts the machine ${attempt.restarts}`]),
    ...(attempt.exitCode === undefined ? [] : [`exit code ${String(attempt.exitCode)}`]),
  ].join(", ");
}

function commandInWords(command: Command): string {
  switch (command.do) {
    case "wait":
      return `${String(command.ms / 1_000)} s pass`;
    case "watch":
      return `a look after each event for ${String(command.ms / 1_000)} s`;
    case "look":
      return `a look${command.memory === "lost" ? ", its memory lost" : ""}${command.silence > 0 ? `, ${String(command.silence * 100)} % of the questions unanswered` : ""}`;
    case "reboot":
      return `reboot, off for ${String(command.offMs / 1_000)} s`;
    case "power-cut":
      return `power cut, off for ${String(command.offMs / 1_000)} s`;
    case "clone":
      return `clone (${command.prepared} prepared, ${command.hostName} host name, after ${String(command.offMs / 3_600_000)} h): ${lifeInWords(command.life).join("; ")}`;
    case "step-clock":
      return `the clock is set by ${String(command.ms / 1_000)} s`;
    case "set-time-zone":
      return `the time zone is set to UTC ${String(command.minutes)} min`;
    case "admin":
      return `an administrator: ${command.act.replaceAll("-", " ")}`;
  }
}
