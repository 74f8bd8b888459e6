import { problemsOf, type PackageCheck } from "./check.ts";

/** The key of every storage emulator is public and stands in the Azure SDK's source. */
const emulatorKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

const patterns: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN (?:EC |RSA )?PRIVATE KEY-----\s{1,2}[A-Za-z0-9+/=]{8}/],
  ["a storage account key", /AccountKey=[^;"'$]{8}/],
  ["a signed storage link", /[?&]sig=[A-Za-z0-9%+/]{30}/],
  ["a bearer token", /\beyJ[\w-]{10}/],
  ["a GitHub token", /\bgh[opsu]_[A-Za-z0-9]{36}/],
  ["a bootstrap token", /["'\s](?!abcdef\.)[a-z0-9]{6}\.[a-z0-9]{16}["'\s]/],
];

/** No file but the runtimes, whose bytes are pinned, may hold anything that looks like a secret. */
export const checkSecrets: PackageCheck = {
  id: "secrets",
  title: "no secret inside",
  run({ entries }) {
    const texts = entries.filter(({ name }) => !name.startsWith("runtime/"));
    return problemsOf(
      texts.flatMap((entry) => {
        const text = entry.read().toString("utf8").replaceAll(emulatorKey, "");
        return patterns
          .filter(([, pattern]) => pattern.test(text))
          .map(([what]) => `${entry.name} holds what looks like ${what}`);
      }),
    );
  },
};
