import type { Command } from "commander";
import { printResult } from "./print.ts";
import { PublishError } from "./publish-error.ts";

interface SignerOptions {
  readonly certificate: string;
  readonly key: string;
  readonly chain?: string;
}

/** `sign`, `verify-signature`, `new-bundle-key`, `sign-bundle`, `verify-bundle`, `sign-program`. */
export function addSignCommands(program: Command): void {
  addPackageSigning(program);
  addBundleKey(program);
  addBundleSigning(program);
  program
    .command("sign-program")
    .description("sign a Windows program of our own with Authenticode (osslsigncode)")
    .argument("<program>", "path of the exe")
    .requiredOption("--certificate <file>", "PEM of the signing certificate")
    .requiredOption("--key <file>", "PEM of its key")
    .requiredOption("--out <file>", "path of the signed program")
    .action(async (path: string, options: SignerOptions & { readonly out: string }) => {
      const { signProgram } = await import("./sign/program-signature.ts");
      await signProgram(path, options.out, options);
      process.stdout.write(`${options.out}\n`);
    });
}

function addPackageSigning(program: Command): void {
  program
    .command("sign")
    .description("make the detached signature of a package (CMS) as a guest agent checks it")
    .argument("<package>", "path of the zip")
    .requiredOption("--certificate <file>", "PEM of the signing certificate")
    .requiredOption("--key <file>", "PEM of its key")
    .option("--chain <file>", "PEM of the certificates between it and the root")
    .option("--out <file>", "path of the signature; default: the package's with .sig")
    .action(async (path: string, options: SignerOptions & { readonly out?: string }) => {
      const { signPackage } = await import("./sign/package-signature.ts");
      const out = options.out ?? `${path}.sig`;
      await signPackage(path, out, options);
      process.stdout.write(`${out}\n`);
    });

  program
    .command("verify-signature")
    .description("check the detached signature of a package with the guest agent's own command")
    .argument("<package>", "path of the zip")
    .requiredOption("--root <file>", "PEM of the root certificate")
    .option("--signature <file>", "path of the signature; default: the package's with .sig")
    .option("--json", "print JSON")
    .action(async (path: string, options: VerifyOptions) => {
      const { verifyPackageSignature } = await import("./sign/package-signature.ts");
      const verdict = await verifyPackageSignature(path, options.signature ?? `${path}.sig`, options.root);
      printResult(options.json, verdict, verdict.kind === "valid" ? `${path}: the signature is valid\n` : "");
      if (verdict.kind === "invalid") {
        throw new PublishError(`The signature of ${path} is not valid: ${verdict.reason}`, "Sign the package again.");
      }
    });
}

interface VerifyOptions {
  readonly root: string;
  readonly signature?: string;
  readonly json?: boolean;
}

function addBundleKey(program: Command): void {
  program
    .command("new-bundle-key")
    .description("make an Ed25519 key for check bundles; prints the entry for trusted-keys.json")
    .requiredOption("--key-id <id>", "name of the key in trusted-keys.json")
    .requiredOption("--out <file>", "new file for the private half, readable by you alone")
    .option("--development", "a key to try things with: verify refuses every package that trusts it")
    .action(async (options: { readonly keyId: string; readonly out: string; readonly development?: boolean }) => {
      const { makeDevelopmentKey, makeReleaseKey, requireKeyId } = await import("./sign/bundle-key.ts");
      const { reasonOf } = await import("./given-file.ts");
      const { writeFile } = await import("node:fs/promises");
      const { privateKey, entry } = (options.development === true ? makeDevelopmentKey : makeReleaseKey)(
        requireKeyId(options.keyId),
      );
      // Never over a key that is there: what it has signed could not be told from the new one's.
      await writeFile(options.out, privateKey, { mode: 0o600, flag: "wx" }).catch((cause: unknown) => {
        const why = `The private key cannot be written to ${options.out}: ${reasonOf(cause)}.`;
        throw new PublishError(why, "Name a new file in a folder that exists, with --out.", { cause });
      });
      process.stdout.write(`${JSON.stringify(entry, undefined, 2)}\n`);
    });
}

function addBundleSigning(program: Command): void {
  program
    .command("sign-bundle")
    .description("write bundle.json.sig (Ed25519) beside bundle.json")
    .argument("[folder]", "folder of the check bundle", "dist/bundle")
    .requiredOption("--key <file>", "PEM of the Ed25519 key")
    .requiredOption("--key-id <id>", "name of the key in trusted-keys.json")
    .action(async (folder: string, options: { readonly key: string; readonly keyId: string }) => {
      const { requireKeyId } = await import("./sign/bundle-key.ts");
      const { signBundle } = await import("./sign/bundle-signature.ts");
      process.stdout.write(`${await signBundle(folder, { file: options.key, id: requireKeyId(options.keyId) })}\n`);
    });

  program
    .command("verify-bundle")
    .description("check bundle.json.sig against the keys that the package trusts")
    .argument("[folder]", "folder of the check bundle", "dist/bundle")
    .option("--trusted-keys <file>", "list of keys", "manifests/trusted-keys.json")
    .action(async (folder: string, options: { readonly trustedKeys: string }) => {
      const { verifyBundleSignature } = await import("./sign/bundle-signature.ts");
      const keyId = await verifyBundleSignature(folder, options.trustedKeys);
      process.stdout.write(`${folder}: signed by "${keyId}"\n`);
    });
}
