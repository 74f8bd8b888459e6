import base from "./jest.config.js";

/** What only a real Windows can show, as an administrator of a machine that is thrown away. See docs/verification.md. */
export default {
  ...base,
  testMatch: ["<rootDir>/test/windows/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 900_000,
};
