import { expect, test } from "@jest/globals";
import { errorCodes } from "../../../handler/errors/error-codes.ts";

test("errorCodes keeps its numbers and reasons: alerts name them, and none is ever reused", () => {
  const golden = Object.values(errorCodes)
    .toSorted((a, b) => a.number - b.number)
    .map(({ number, reason }) => `${String(number)} ${reason}`);
  expect(golden).toEqual([
    "-21 DeadlineExceededByPlatform",
    "-20 BootstrapFailedByPlatform",
    "-15 CheckOutputInvalid",
    "-13 Interrupted",
    "-12 StateUnwritable",
    "-11 SequenceNumberUnknown",
    "-10 HandlerEnvironmentUnreadable",
    "-9 InternalError",
    "1 CommandNotStarted",
    "2 CommandFailed",
    "10 BootstrapFailed",
    "11 DeadlineExceeded",
    "21 SettingsInvalid",
    "22 SettingsUnreadable",
    "23 CommandMissing",
    "24 ProtectedSettingsUndecryptable",
    "25 ScriptInvalid",
    "26 PlatformUnsupported",
    "52 DownloadDenied",
    "53 DownloadNotFound",
    "54 DownloadFailed",
    "56 DownloadTimedOut",
    "57 DownloadTooLarge",
    "58 DownloadUrlInvalid",
    "60 CheckUntrusted",
    "61 CheckUnavailable",
    "62 CheckIncompatible",
    "70 ManagedIdentityNotFound",
    "71 ManagedIdentityDenied",
    "72 ManagedIdentityFailed",
  ]);
});
