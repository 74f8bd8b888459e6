import type { Answer } from "../../../scripts/check/questions.ts";
import { decodeOutput } from "../../platform/powershell-windows.ts";
import { cannotTell, known } from "./answer.ts";
import type { ProgramView } from "./program-view.ts";
import { whyNot } from "./unit-answers.ts";

const timeLimitMs = 10_000;
const noSuchKey = 1;
const mostEntries = 500;

const hives: Readonly<Record<string, string>> = { HKLM: "HKEY_LOCAL_MACHINE", HKCU: "HKEY_CURRENT_USER" };

/** `reg.exe query KEY`: its values, then the paths of the keys below it. Nothing of that is in the system's language. */
export async function answerRegistry(view: ProgramView, key: string): Promise<Answer<"registry">> {
  if (!/^(?:HKLM|HKCU)(?:\\[^\\"\u0000-\u001f]{1,255}){1,20}$/u.test(key)) {
    return cannotTell("it is not a key of the registry");
  }
  const result = await view.run(view.program, ["query", key], { timeoutMs: timeLimitMs, env: view.env });
  if (result.kind !== "exited") return cannotTell(`reg.exe ${whyNot(result, timeLimitMs)}`);
  if (result.code === noSuchKey) return known<"registry">({ kind: "absent" });
  if (result.code !== 0) return cannotTell(`reg.exe ${whyNot(result, timeLimitMs)}`);
  return known<"registry">({ kind: "values", ...parseKey(decodeOutput(result.stdout), key) });
}

export function parseKey(
  output: string,
  key: string,
): { readonly values: Readonly<Record<string, string>>; readonly subkeys: readonly string[] } {
  const prefix = `${fullName(key)}\\`.toLowerCase();
  const values: Record<string, string> = {};
  const subkeys: string[] = [];
  for (const line of output.split(/\r?\n/u)) {
    const value = parseValue(line);
    if (value !== undefined && Object.keys(values).length < mostEntries) values[value.name] = value.data;
    else if (line.toLowerCase().startsWith(prefix) && subkeys.length < mostEntries) {
      subkeys.push(line.slice(prefix.length).trimEnd());
    }
  }
  return { values, subkeys: subkeys.filter((name) => name !== "" && !name.includes("\\")) };
}

function fullName(key: string): string {
  const [hive = "", ...rest] = key.split("\\");
  return [hives[hive] ?? hive, ...rest].join("\\");
}

/** Four columns, each behind four blanks: "    Name    REG_DWORD    0x1". A number is given as decimal text. */
function parseValue(line: string): { readonly name: string; readonly data: string } | undefined {
  const found = /^ {4}(?<name>\S.*?) {4}(?<type>REG_[A-Z_]+)(?: {4}(?<data>.*))?$/u.exec(line)?.groups;
  const { name, type, data = "" } = found ?? {};
  if (name === undefined || type === undefined) return undefined;
  const isNumber = /^REG_[DQ]WORD/u.test(type) && /^0x[\da-f]{1,16}$/iu.test(data);
  return { name, data: isNumber ? BigInt(data).toString() : data };
}
