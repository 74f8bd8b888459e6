import { expect, test } from "@jest/globals";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSequenceContext } from "../../../../handler/operations/context.ts";
import { enable } from "../../../../handler/operations/agent/enable.ts";
import type { Host } from "../../../../handler/host.ts";
import { linux } from "../../../../handler/platform/linux.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";

/**
 * The real host over a handler's folder; the supervisor, which the lifecycle tests run, is not started. Both calls are of one process,
 * so the second waits for the first one's lock: fast.
 */
function handlerHost(): Host {
  const host = checkHost();
  const folders = Object.fromEntries(
    ["logFolder", "configFolder", "statusFolder"].map((name) => [name, join(host.root, name)]),
  );
  for (const folder of [...Object.values(folders), host.programFolder]) mkdirSync(folder, { recursive: true });
  const environment = [{ name: "CAPZ", version: 1, handlerEnvironment: folders }];
  writeFileSync(join(host.programFolder, "HandlerEnvironment.json"), JSON.stringify(environment));
  const platform = { ...linux, startSupervisor: () => Promise.resolve() };
  return { ...fastHost(host), platform };
}

async function enableSequence(host: Host, sequence: number): Promise<void> {
  const env = { ConfigSequenceNumber: String(sequence) };
  await enable(await loadSequenceContext({ ...host, env }, "enable"));
}

function statusOf(host: Host, sequence: number): unknown {
  return JSON.parse(readFileSync(join(host.root, "statusFolder", `${String(sequence)}.status`), "utf8"));
}

test("enable closes the status of settings that were replaced before a verdict, in the words of a verdict", async () => {
  const host = handlerHost();
  await enableSequence(host, 1);
  expect(statusOf(host, 1)).toMatchObject([{ status: { status: "transitioning" } }]);
  await enableSequence(host, 2);
  const line =
    "Bootstrap not checked (Interrupted): the settings of sequence 2 have replaced these before a verdict. Next: Read 2.status.";
  expect(statusOf(host, 1)).toMatchObject([
    {
      status: {
        status: "error",
        formattedMessage: { message: line },
        substatus: [{ name: "ErrorClarification", status: "error", formattedMessage: { message: line } }],
      },
    },
  ]);
  expect(statusOf(host, 2)).toMatchObject([{ status: { status: "transitioning" } }]);
});

test("enable leaves the verdict of replaced settings as it stands", async () => {
  const host = handlerHost();
  await enableSequence(host, 1);
  const verdict = JSON.stringify(statusOf(host, 1)).replace('"transitioning"', '"success"');
  writeFileSync(join(host.root, "statusFolder", "1.status"), verdict);
  await enableSequence(host, 2);
  expect(statusOf(host, 1)).toEqual(JSON.parse(verdict));
});
