import { expect, test } from "@jest/globals";
import { identityToken } from "../../handler/transfer/identity-token.ts";
import { failureOfStatus } from "../../handler/transfer/transfer.ts";
import { errorCodes } from "../../handler/errors/error-codes.ts";
import { parseSettings } from "../../handler/settings/parse-settings.ts";
import { settingsError } from "../../handler/settings/settings-error.ts";
import { checkHost, fastHost } from "../support/check-host.ts";
import { listen } from "../support/http-server.ts";

/** The Custom Script handler's clarification codes and ours, where a row of docs/peers-expectations.md speaks of codes. */

test.each([
  [400, -41, 54],
  [401, 52, 52],
  [403, 54, 52],
  [404, 53, 53],
  [409, 54, 54],
  [500, -1, 54],
])("a download that the server answers with %d: their code is %d, ours is %d", (status, _, ours) => {
  const { id } = failureOfStatus({ status, header: () => undefined }, new Date(0));
  expect(errorCodes[id].number).toBe(ours);
});

test.each([
  [404, 70, 70],
  [403, 71, 71],
  [500, -30, 72],
  [400, 72, 70],
])("the identity endpoint that answers %d: their code is %d, ours is %d", async (status, _, ours) => {
  const host = { ...fastHost(checkHost()), env: {} };
  const server = await listen((_request, response) => response.writeHead(status).end("{}"));
  try {
    const token = identityToken({
      host,
      identity: { kind: "managed-identity" },
      signal: AbortSignal.timeout(20_000),
      seed: "x",
      endpoint: `${server.origin}/token`,
    });
    await expect(token).rejects.toMatchObject({ code: { number: ours } });
  } finally {
    await server.close();
  }
});

test.each([
  ["command and script", { commandToExecute: "date", script: "dHJ1ZQ==" }, {}],
  ["the command twice", { commandToExecute: "date" }, { commandToExecute: "date" }],
  ["the script twice", { script: "dHJ1ZQ==" }, { script: "dHJ1ZQ==" }],
  ["a storage name without a key", { commandToExecute: "date" }, { storageAccountName: "abc" }],
  [
    "a key and an identity",
    { commandToExecute: "date" },
    { storageAccountName: "abc", storageAccountKey: "a2V5", managedIdentity: {} },
  ],
])("settings that contradict themselves have code 21: %s", (_, publicSettings, protectedSettings) => {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  expect(parsed.kind === "invalid" ? settingsError(parsed.problems).code.number : undefined).toBe(21);
});

test("what cannot be started has code 1", () => {
  expect(errorCodes.commandNotStarted.number).toBe(1);
});
