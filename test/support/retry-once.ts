import { jest } from "@jest/globals";

// At once, since the tests of a machine follow each other on it: behind the last one it may be gone.
// On a shared, busy runner a test of real processes may lose a race that no user would. It gets one more try there, its first
// error is printed, and scripts/dev/print-totals.ts names it and fails the run when it happens again. Trials that count losses
// (test/faults, test/lanes/kill.test.ts) switch this off.
if (process.env["CI"] === "true") jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
