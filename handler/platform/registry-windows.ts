import type { RunProcess } from "../host.ts";
import { decodeOutput } from "./powershell-windows.ts";

export interface RegistryValue {
  readonly key: string;
  readonly name: string;
  /** The key never changes: what is remembered of it is taken, and all of it is asked for. */
  readonly isLasting?: boolean;
}

const queryTimeoutMs = 20_000;
const tries = 3;
const noSuchValue = 1;

/**
 * The data of a registry value as reg.exe prints it; undefined when there is no such value. On a machine that is too busy to
 * start it or to let it end it is asked again: a VM must not look like another one because it boots.
 */
export async function queryRegistry(reg: string, value: RegistryValue, run: RunProcess): Promise<string | undefined> {
  const isLasting = value.isLasting === true;
  const args = isLasting ? ["query", value.key] : ["query", value.key, "/v", value.name];
  const remembered = isLasting ? ({ rememberMs: Infinity, takesRemembered: true } as const) : {};
  for (let attempt = 1; attempt <= tries; attempt++) {
    const result = await run(reg, args, { timeoutMs: queryTimeoutMs, ...remembered });
    if (result.kind !== "exited") continue;
    if (result.code === 0) return parseRegistryValue(decodeOutput(result.stdout), value.name);
    if (result.code === noSuchValue) return undefined;
  }
  return undefined;
}

/** One line of four columns, each behind four blanks: "    Name    REG_SZ    data". */
export function parseRegistryValue(output: string, name: string): string | undefined {
  for (const line of output.split(/\r?\n/u)) {
    const [margin, found, type, ...data] = line.split("    ");
    if (margin !== "" || found?.toLowerCase() !== name.toLowerCase() || type?.startsWith("REG_") !== true) continue;
    const text = data.join("    ").trim();
    return text === "" ? undefined : text;
  }
  return undefined;
}

/** A number as reg.exe prints a DWORD (0x1a) or as text. */
export function parseRegistryNumber(data: string | undefined): number | undefined {
  if (data === undefined || !/^(?:0x[0-9a-f]{1,8}|\d{1,10})$/iu.test(data)) return undefined;
  const number = Number(data);
  return number <= 2_147_483_647 ? number : undefined;
}
