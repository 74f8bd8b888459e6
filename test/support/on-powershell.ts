import type { RunProcess } from "../../handler/host.ts";
import { encodedScript } from "../../handler/platform/powershell-windows.ts";
import { runPowerShell } from "./powershell.ts";

/** Runs for real what the handler hands to powershell.exe as -EncodedCommand; `change` puts in what only Windows has. */
export function onPowerShell(
  change: (script: string) => string,
  env: Readonly<Record<string, string>> = {},
): RunProcess {
  return async (_, args, options) => {
    const script = Buffer.from(args.at(-1) ?? "", "base64").toString("utf16le");
    const encoded = encodedScript(change(script));
    const input = options?.input === undefined ? {} : { input: Buffer.from(options.input) };
    const { code, stdout, stderr } = await runPowerShell(encoded, { ...input, env });
    return { kind: "exited", code: code ?? -1, stdout, stderr: Buffer.from(stderr) };
  };
}
