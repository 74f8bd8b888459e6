export default {
  testEnvironment: "<rootDir>/test/support/plain-environment.ts",
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
  testSequencer: "<rootDir>/test/support/longest-first.ts",
  // More than twice what the smallest runner has cores: most files start programs and wait for them, at a third of a core each.
  maxWorkers: 5,
  // Jest asks for it at every start; nobody watches.
  watchman: false,
};
