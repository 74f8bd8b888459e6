export default {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/lanes/", "<rootDir>/test/windows/"],
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/jest.transform.js" },
  // Not in the folder for temporary files, where a run leaves nothing.
  cacheDirectory: "<rootDir>/.cache/jest",
  globalSetup: "<rootDir>/test/support/own-temporary-folder.ts",
  globalTeardown: "<rootDir>/test/support/leave-temporary-folder.ts",
  reporters: ["default", "<rootDir>/test/support/kept-results.ts"],
  setupFilesAfterEnv: ["<rootDir>/test/support/retry-once.ts"],
  testTimeout: 60_000,
  maxWorkers: 2,
};
