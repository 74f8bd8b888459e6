export default {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/lanes/", "<rootDir>/test/windows/"],
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/jest.transform.js" },
  setupFilesAfterEnv: ["<rootDir>/test/support/retry-once.ts"],
  testTimeout: 60_000,
  maxWorkers: 2,
};
