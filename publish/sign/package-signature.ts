import { requireTool, runTool } from "../run-tool.ts";

export interface Signer {
  /** PEM of the signing certificate. */
  readonly certificate: string;
  /** PEM of its key, or a key that openssl reaches through a provider. */
  readonly key: string;
  /** PEM of the certificates between the signer and the root. */
  readonly chain?: string;
}

/** Detached CMS over the zip as the guest agent checks it: DER, SHA-384 (WALinuxAgent: signature_validation_util). */
export async function signPackage(path: string, signature: string, signer: Signer): Promise<void> {
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
  const result = await runTool("openssl", [
    ...["cms", "-verify", "-binary", "-inform", "der", "-in", signature, "-content", path],
    ...["-purpose", "any", "-CAfile", root, "-no_check_time", "-out", "/dev/null"],
  ]);
  return result.code === 0 ? { kind: "valid" } : { kind: "invalid", reason: reasonOf(result.stderr) };
}

/** openssl prints one line per layer; what a person needs is the text behind the routine's name. */
function reasonOf(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").at(-1) ?? "openssl gave no reason";
}
