import { writeStatus } from "../contract/status-file.ts";
import type { Status } from "../contract/status.ts";
import type { SequenceContext } from "./context.ts";

/** Writes the status of the context's sequence. Throws HandlerError stateUnwritable. */
export async function putStatus(context: SequenceContext, status: Status, durable?: boolean): Promise<void> {
  const { host, environment, sequence, extensionName } = context;
  await writeStatus({
    folder: environment.statusFolder,
    sequence,
    extensionName,
    status,
    now: host.now(),
    sleep: host.sleep,
    durable,
  });
}
