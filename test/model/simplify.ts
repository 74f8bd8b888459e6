import type { Attempt, Command, History, Image, Life } from "./history.ts";

/** The plainest value of each choice; a counterexample keeps only what it needs beyond them. */
export const plainAttempt: Attempt = {
  before: "none",
  join: "ok",
  after: "none",
  unrelatedError: false,
  restarts: "no",
  queued: false,
};

export const plainLife: Life = {
  provider: "kubeadm",
  role: "join-worker",
  userData: "provider",
  attempts: [plainAttempt, plainAttempt],
  nodeName: "host",
  setting: "auto",
  metadata: "found",
};

export const plainImage: Image = {
  cloudInit: "new",
  leftovers: [],
  kubelet: "enabled",
  runIsMemory: true,
  builderTraces: false,
  sharedIdentity: false,
  sentinel: false,
  sharesLog: false,
  clusterAgeDays: 0,
  certificateDays: 365,
};

/** Makes a history smaller, one thing after the other, as long as it stays wrong. */
export function simplify(history: History, stillWrong: (history: History) => boolean): History {
  let smallest = history;
  for (let shrunk = true; shrunk;) {
    shrunk = false;
    for (const candidate of smaller(smallest)) {
      if (!stillWrong(candidate)) continue;
      smallest = candidate;
      shrunk = true;
      break;
    }
  }
  return smallest;
}

function* smaller(history: History): Generator<History> {
  const { commands } = history;
  const lastClone = commands.findLastIndex((command) => command.do === "clone");
  const clone = commands[lastClone];
  if (clone?.do === "clone") yield { ...history, life: clone.life, commands: commands.slice(lastClone + 1) };
  for (let at = 0; at < commands.length; at += 1)
    yield { ...history, commands: commands.filter((_command, index) => index !== at) };
  for (const image of plainer(history.image, plainImage)) yield { ...history, image };
  for (const life of plainerLives(history.life)) yield { ...history, life };
  for (const [at, command] of commands.entries()) {
    for (const plain of plainerCommands(command)) yield { ...history, commands: commands.with(at, plain) };
  }
  if (history.seed !== 1) yield { ...history, seed: 1 };
}

function* plainerCommands(command: Command): Generator<Command> {
  if (command.do === "clone") for (const life of plainerLives(command.life)) yield { ...command, life };
  if (command.do === "look" && command.silence > 0) yield { ...command, silence: 0 };
  if (command.do === "look" && command.memory === "lost") yield { ...command, memory: "kept" };
}

function* plainerLives(life: Life): Generator<Life> {
  yield* plainer(life, { ...plainLife, attempts: life.attempts });
  const [first, later] = life.attempts;
  for (const attempt of plainer(first, plainAttempt)) yield { ...life, attempts: [attempt, later] };
  for (const attempt of plainer(later, plainAttempt)) yield { ...life, attempts: [first, attempt] };
}

function* plainer<Value extends object>(value: Value, plain: Value): Generator<Value> {
  for (const key of Object.keys(value) as (keyof Value)[]) {
    if (JSON.stringify(value[key]) !== JSON.stringify(plain[key])) yield { ...value, [key]: plain[key] };
  }
}
