import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "../run-tool.ts";
import { problemsOf, type CheckFinding, type PackageCheck } from "./check.ts";

/** node.exe is still what the OpenJS Foundation signed: its own digest fits and the signer is named. */
export const checkAuthenticode: PackageCheck = {
  id: "authenticode",
  title: "signature of node.exe",
  async run({ entries, definition }) {
    if (definition.os === "Linux") return { kind: "skipped", reason: "Linux programs carry no signature" };
    const program = entries.find(({ name }) => name.endsWith("/node.exe"));
    if (program === undefined) return problemsOf(["node.exe is missing"]);
    const folder = await mkdtemp(join(tmpdir(), "capz-authenticode-"));
    try {
      const path = join(folder, "node.exe");
      await writeFile(path, program.read());
      return await verifySignature(path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function verifySignature(path: string): Promise<CheckFinding> {
  const result = await runTool("osslsigncode", ["verify", path]).catch(() => undefined);
  if (result === undefined) return { kind: "skipped", reason: "osslsigncode is not installed" };
  const output = result.stdout.toString("utf8");
  const signerLine = output.split("\n").find((line) => line.includes("Subject: "));
  const digests = ["Current", "Calculated"].map((which) => digestLine(output, which));
  return problemsOf([
    ...(digests[0] !== undefined && digests[0] === digests[1] ? [] : ["node.exe differs from what was signed"]),
    ...(signerLine?.includes("O=OpenJS Foundation") === true
      ? []
      : ["node.exe is not signed by the OpenJS Foundation"]),
  ]);
}

function digestLine(output: string, which: string): string | undefined {
  return new RegExp(`${which} message digest +: ([0-9A-F]{64})`).exec(output)?.[1];
}
