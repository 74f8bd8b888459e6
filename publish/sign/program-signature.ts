import { requireGivenFile } from "../given-file.ts";
import { PublishError } from "../publish-error.ts";
import { requireTool, runTool } from "../run-tool.ts";
import { requireSigner, type Signer } from "./package-signature.ts";

/**
 * Authenticode for a Windows program of our own. The packages hold none today: node.exe is signed by the OpenJS
 * Foundation and must stay as it is, so a program that has a signature is refused.
 */
export async function signProgram(path: string, signed: string, signer: Signer): Promise<void> {
  await requireGivenFile(path, { what: "program", next: "Name the exe to sign." });
  await requireSigner(signer);
  const present = await runTool("osslsigncode", ["verify", path]);
  if (present.stdout.includes("Signer's certificate")) {
    throw new PublishError(`${path} is signed already.`, "A second signature would replace that of its publisher.");
  }
  await requireTool("osslsigncode", [
    ...["sign", "-h", "sha256", "-certs", signer.certificate, "-key", signer.key],
    ...["-in", path, "-out", signed],
  ]);
}
