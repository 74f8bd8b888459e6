import { link, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorText, systemErrorCode } from "../errors/handler-error.ts";
import { cutShown, show, type ShownText } from "../text/shown-text.ts";
import { temporaryFile } from "../files/temporary-file.ts";

type EventLevel = "Critical" | "Error" | "Warning" | "Verbose" | "Informational";

export interface TelemetryEvent {
  readonly level: EventLevel;
  /** Part of the handler that speaks: "enable", "supervise". */
  readonly task: string;
  readonly message: ShownText;
  /** Ties the events of one run together. */
  readonly operationId: string;
  readonly handlerVersion: string;
  readonly pid: number;
  readonly now: Date;
}

export interface EventFolders {
  /** Undefined: the agent collects no events. */
  readonly eventsFolder?: string | undefined;
  /** On the same file system; the file is prepared here, because the agent deletes everything in its own folder. */
  readonly logFolder: string;
}

export type EventResult =
  { readonly kind: "written"; readonly path: string } | { readonly kind: "skipped"; readonly reason: string };

/** Limits of the agent's collector: a longer message is cut, a larger event is dropped (WALinuxAgent: collect_telemetry_events). */
const messageLimit = 3072;
const otherValueLimit = 256;
const nameTries = 1000;

/** Hands one event to the agent. Telemetry is a courtesy: without a folder, or when it fails, nothing happens; never throws. */
export async function writeEvent(event: TelemetryEvent, folders: EventFolders): Promise<EventResult> {
  const { eventsFolder, logFolder } = folders;
  if (eventsFolder === undefined) return { kind: "skipped", reason: "the agent collects no events" };
  const fields = eventFields(event);
  if (fields.Message === "") return { kind: "skipped", reason: "the message is empty" };
  const temporary = temporaryFile(logFolder);
  try {
    if (!(await stat(eventsFolder)).isDirectory()) return { kind: "skipped", reason: `${eventsFolder} is no folder` };
    await writeFile(temporary, JSON.stringify(fields), { mode: 0o600, flag: "wx" });
    return await moveIn(temporary, eventsFolder, event.now);
  } catch (thrown) {
    return { kind: "skipped", reason: errorText(thrown) };
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** Eight keys, all texts, no empty ones. */
function eventFields(event: TelemetryEvent): Readonly<Record<"Message" | "Version" | "TaskName", string>> {
  const other = (value: string): string => {
    const clean = cutShown.text(cutShown.trim(show(value)), otherValueLimit, "…");
    return clean.length === 0 ? "unknown" : clean;
  };
  const fields = {
    Version: other(event.handlerVersion),
    Timestamp: event.now.toISOString(),
    TaskName: other(event.task),
    EventLevel: event.level,
    Message: cutShown.text(cutShown.trim(event.message), messageLimit),
    EventPid: String(event.pid),
    // Node runs our code in one thread; the agent only wants a text here.
    EventTid: String(event.pid),
    OperationId: other(event.operationId),
  };
  return fields;
}

/**
 * A hard link appears whole and, unlike a rename, never replaces another event. The name is the time in microseconds,
 * counted up when it is taken.
 */
async function moveIn(temporary: string, eventsFolder: string, now: Date): Promise<EventResult> {
  const microseconds = now.getTime() * 1000;
  for (let offset = 0; offset < nameTries; offset++) {
    const path = join(eventsFolder, `${microseconds + offset}.json`);
    try {
      await link(temporary, path);
      return { kind: "written", path };
    } catch (thrown) {
      if (systemErrorCode(thrown) !== "EEXIST") throw thrown;
    }
  }
  return { kind: "skipped", reason: `${nameTries} events of one millisecond are there already` };
}
