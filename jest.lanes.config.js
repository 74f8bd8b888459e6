import base from "./jest.config.js";

/** The heavier lanes: real systemd nodes, the real guest agent, Wine, qemu. See docs/verification.md. */
export default {
  ...base,
  testMatch: ["<rootDir>/test/lanes/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 900_000,
};
