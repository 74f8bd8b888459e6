import { jest } from "@jest/globals";

// On a shared, busy runner a test of real processes may lose a race that no user would. It gets one more try there, and its
// first error is printed. Tests that count losses themselves (test/lifecycle/kill.test.ts) switch this off.
if (process.env["CI"] === "true") jest.retryTimes(1, { logErrorsBeforeRetry: true });
