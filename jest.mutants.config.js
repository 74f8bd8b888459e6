import base from "./jest.config.js";

/** A part of the tests, where a quick answer is worth more than the last killed mutant. */
const folder = process.env["MUTANTS_TESTS"] ?? "test/handler";

/** The in-process tests of handler/, for `npm run mutants`: one try, one worker; what starts packages and nodes counts no coverage. */
export default {
  ...base,
  roots: ["<rootDir>/test", "<rootDir>/handler"],
  testMatch: [`<rootDir>/${folder}/**/*.test.ts`],
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    "fuzz-settings",
    "peers\\.test",
    "exclusive-lock-race",
    "hung-file-threads",
  ],
  testEnvironment: "node",
  setupFilesAfterEnv: [],
  maxWorkers: 1,
};
