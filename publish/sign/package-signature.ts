import { requireGivenFile } from "../given-file.ts";
import { requireTool, runTool } from "../run-tool.ts";

export interface Signer {
  /** PEM of the signing certificate. */
  readonly certificate: string;
  /** PEM of its key, or a key that openssl reaches through a provider. */
  readonly key: string;
  /** PEM of the certificates between the signer and the root. */
  readonly chain?: string;
}

const zipFile = { what: "package", next: "Build it with: npm run package" };
const pemFile = (what: string, option: string) => ({ what, next: `Name a PEM file with ${option}.` });

/** All files of a signer can be read; a key that openssl reaches through a provider is an address and no file. */
export async function requireSigner({ certificate, key, chain }: Signer): Promise<void> {
  await requireGivenFile(certificate, pemFile("certificate", "--certificate"));
  if (!/^[a-z][a-z\d+.-]+:/u.test(key)) await requireGivenFile(key, pemFile("key", "--key"));
  if (chain !== undefined) await requireGivenFile(chain, pemFile("chain", "--chain"));
}

/** Detached CMS over the zip as the guest agent checks it: DER, SHA-384 (WALinuxAgent: signature_validation_util). */
export async function signPackage(path: string, signature: string, signer: Signer): Promise<void> {
  await requireGivenFile(path, zipFile);
  await requireSigner(signer);
  const chain = signer.chain === undefined ? [] : ["-certfile", signer.chain];
  const own = ["-signer", signer.certificate, "-inkey", signer.key, ...chain];
  await requireTool("openssl", [
    ...["cms", "-sign", "-binary", "-md", "sha384", "-outform", "der"],
    ...["-in", path, "-out", signature, ...own],
  ]);
}

export type SignatureVerdict = { readonly kind: "valid" } | { readonly kind: "invalid"; readonly reason: string };

/** The command of the Linux guest agent with another root: what it accepts, the agent would accept under that root. */
export async function verifyPackageSignature(path: string, signature: string, root: string): Promise<SignatureVerdict> {
  await requireGivenFile(path, zipFile);
  await requireGivenFile(signature, {
    what: "signature",
    next: "Make it with: sign PACKAGE, or name it with --signature.",
  });
  await requireGivenFile(root, pemFile("root certificate", "--root"));
  const result = await runTool("openssl", [
    ...["cms", "-verify", "-binary", "-inform", "der", "-in", signature, "-content", path],
    ...["-purpose", "any", "-CAfile", root, "-no_check_time", "-out", "/dev/null"],
  ]);
  return result.code === 0 ? { kind: "valid" } : { kind: "invalid", reason: reasonOf(result.stderr) };
}

/** openssl prints one line per layer; what a person needs is the text behind the routine's name. */
function reasonOf(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const last = lines.at(-1)?.trim() ?? "openssl gave no reason";
  return /^[0-9A-F]+:error:[^:]*:[^:]*:[^:]*:([^:]+):/u.exec(last)?.[1] ?? last;
}
