import base from "./jest.config.js";

/** The heavier lanes: real systemd nodes, the real guest agent, Wine, qemu. See docs/verification.md. */
export default {
  ...base,
  testMatch: ["<rootDir>/test/lanes/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  // Several times what the longest test or hook needs. Roots are built in a hook with a limit of its own.
  testTimeout: 300_000,
  // A booted node takes a processor of its own.
  maxWorkers: 2,
};
