import { readEnd } from "../files/read-end.ts";

/** Something that happened on the node, as its own files tell it. */
export interface TimelineEvent {
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly stage: string;
  readonly event: string;
}

const cloudInitStages = ["init-local", "init", "modules-config", "modules-final"] as const;

/** The stages of cloud-init from its status.json, oldest first; empty where there is none. */
export async function readTimeline(root: string): Promise<readonly TimelineEvent[]> {
  const texts = await Promise.all(
    ["/run/cloud-init/status.json", "/var/lib/cloud/data/status.json"].map((path) => readEnd(root, path)),
  );
  const status = parse(texts.find((text) => text !== "") ?? "");
  const bootSeconds = Number(/^btime (\d+)/m.exec(await readEnd(root, "/proc/stat"))?.[1] ?? 0);
  return cloudInitStages
    .flatMap((name) => stageEvents(name, fieldOf(status, name), bootSeconds))
    .toSorted((a, b) => (a.time < b.time ? -1 : 1));
}

function stageEvents(name: string, stage: unknown, bootSeconds: number): readonly TimelineEvent[] {
  const errors = fieldOf(stage, "errors");
  const count = Array.isArray(errors) ? errors.length : 0;
  const end = count === 0 ? "finished" : `finished with ${count} error${count === 1 ? "" : "s"}`;
  return [
    { at: fieldOf(stage, "start"), event: `cloud-init ${name} started` },
    { at: fieldOf(stage, "finished"), event: `cloud-init ${name} ${end}` },
  ].flatMap(({ at, event }) => {
    const time = toTime(at, bootSeconds);
    return time === undefined ? [] : [{ time, stage: "cloud-init", event }];
  });
}

/** Newer cloud-init writes seconds since boot, older releases seconds since 1970. */
function toTime(value: unknown, bootSeconds: number): string | undefined {
  if (typeof value !== "number" || value <= 0) return undefined;
  const isUptime = value < 1_000_000_000;
  if (isUptime && bootSeconds === 0) return undefined;
  return new Date((isUptime ? bootSeconds + value : value) * 1000).toISOString();
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return fieldOf(value, "v1");
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
