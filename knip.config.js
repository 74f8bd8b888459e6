const production = process.argv.includes("--production");

export default {
  entry: [
    "cluster/main.ts!",
    "handler/client.ts!",
    "handler/main.ts!",
    "publish/main.ts!",
    "scripts/dev/*.ts!",
    // Named to Stryker by their paths.
    "scripts/dev/mutants/*.ts!",
    "scripts/rules/*.ts!",
    "test/**/*.test.ts",
    "test/**/*-main.ts",
    "scripts/check/main.ts!",
    // A plugin that Stryker loads by its path, and what stands for @jest/globals there.
    "scripts/dev/mutants/globals.ts!",
    "scripts/dev/mutants/runner.ts!",
  ],
  project: ["cluster/**/*.ts!", "handler/**/*.ts!", "publish/**/*.ts!", "scripts/**/*.ts!", "test/**/*.ts"],
  ignoreBinaries: [
    "chroot",
    "dash",
    "flock",
    "mkfifo",
    "mount",
    "nsenter",
    "openssl",
    "osslsigncode",
    "pdftoppm",
    "pdftotext",
    "readelf",
    "setpriv",
    "strace",
    "strip",
    "umount",
    "unshare",
  ],
  ignoreDependencies: [
    "@stryker-mutator/api",
    "@stryker-mutator/core",
    "@stryker-mutator/jest-runner",
    "@types/adm-zip",
    "azurite",
  ],
  // Production mode finds what only tests use; there a part of a file may be exported for its own test. Else no export is needless.
  ignoreExportsUsedInFile: production,
  // The digest of a long run is over these sources: they are not touched for a word.
  ignoreIssues: {
    "test/model/**": ["exports", "types"],
    // Jest's own two names of one function.
    "scripts/dev/mutants/globals.ts": ["duplicates"],
  },
};
