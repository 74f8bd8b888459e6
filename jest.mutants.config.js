import base from "./jest.config.js";

/** The in-process tests of handler/, for `npm run mutants`: one try, one worker; what starts packages and nodes counts no coverage. */
export default {
  ...base,
  roots: ["<rootDir>/test", "<rootDir>/handler"],
  testMatch: ["<rootDir>/test/handler/**/*.test.ts", "<rootDir>/test/golden/**/*.test.ts"],
  testPathIgnorePatterns: [...base.testPathIgnorePatterns, "fuzz-settings", "peers\\.test"],
  setupFilesAfterEnv: [],
  maxWorkers: 1,
};
