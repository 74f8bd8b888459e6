import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorText, HandlerError, systemErrorCode } from "../errors/handler-error.ts";
import { onceUnblocked } from "../files/blocked-file.ts";
import { boundStatus } from "./bound-status.ts";
import { parseStatus, type AgentView } from "./parse-status.ts";
import { replaceFile, type Sleep } from "../files/replace-file.ts";
import { statusFileName, type SequenceFile } from "./sequence-files.ts";
import type { Status } from "./status.ts";
import { removeStaleTemporaries } from "../files/temporary-file.ts";

export interface WriteStatus extends SequenceFile {
  /** The agent's status folder. */
  readonly folder: string;
  readonly status: Status;
  readonly now: Date;
  /** Waits when a reader blocks the file (Windows); pass the host's. */
  readonly sleep?: Sleep | undefined;
  /** Whether it must outlast a power cut. By default a verdict must; progress is written again at the next start. */
  readonly durable?: boolean | undefined;
}

/** The only writer of the status folder: temporary file, flush, rename. Throws HandlerError stateUnwritable. */
export async function writeStatus(request: WriteStatus): Promise<void> {
  const path = join(request.folder, statusFileName(request));
  const { durable = request.status.kind !== "transitioning" } = request;
  try {
    mkdirSync(request.folder, { recursive: true, mode: 0o700 });
    removeStaleTemporaries(request.folder, request.now);
    await replaceFile({ path, bytes: serialiseStatus(request), sleep: request.sleep, durable });
  } catch (thrown) {
    throw new HandlerError("stateUnwritable", `The status file ${path} cannot be written: ${errorText(thrown)}`, {
      cause: thrown,
    });
  }
}

/** UTF-8 without BOM; an array of one, all fields of the contract (agent documentation, status schema). */
export function serialiseStatus({ status, now, extensionName }: Omit<WriteStatus, "folder">): Buffer {
  const bounded = boundStatus(status);
  const time = `${now.toISOString().slice(0, 19)}Z`;
  const item = {
    version: 1,
    timestampUTC: time,
    status: {
      name: extensionName ?? "capz-bootstrap",
      operation: bounded.operation,
      configurationAppliedTime: time,
      status: bounded.kind,
      code: bounded.code,
      formattedMessage: formattedMessage(bounded.message),
      substatus: bounded.substatuses.map((substatus) => ({
        name: substatus.name,
        status: substatus.status,
        code: substatus.code,
        formattedMessage: formattedMessage(substatus.message),
      })),
    },
  };
  return Buffer.from(JSON.stringify([item]), "utf8");
}

function formattedMessage(message: string): { readonly lang: "en-US"; readonly message: string } {
  return { lang: "en-US", message };
}

/** What the agent sees in the status file now. Throws the system error when the file exists but cannot be read. */
export async function readStatusFile(folder: string, file: SequenceFile): Promise<AgentView> {
  try {
    return parseStatus(await onceUnblocked(() => readFileSync(join(folder, statusFileName(file)))));
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return { kind: "absent" };
    throw thrown;
  }
}
