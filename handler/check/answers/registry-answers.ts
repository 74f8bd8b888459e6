import type { Answer } from "../../../scripts/check/questions.ts";
import { decodeOutput } from "../../platform/powershell-windows.ts";
import { cannotTell, known } from "./answer.ts";
import type { RunOptions, RunProcess, RunResult } from "../../host.ts";
import type { ProgramView } from "./program-view.ts";
import { whyNot } from "./unit-answers.ts";

const timeLimitMs = 10_000;
const noSuchKey = 1;
const mostEntries = 500;

/** Asked for with all below them: the diagnosis of a failure wants the same a moment later, and is then given this answer. */
const trees: readonly string[] = ["HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init"];
const rememberTreeMs = 5000;
/** What the set-up of Windows wrote: another one would be another boot. */
const lasting: ReadonlySet<string> = new Set(["HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"]);

const hives: Readonly<Record<string, string>> = { HKLM: "HKEY_LOCAL_MACHINE", HKCU: "HKEY_CURRENT_USER" };

/** `reg.exe query KEY`: its values, then the paths of the keys below it. Nothing of that is in the system's language. */
export async function answerRegistry(view: ProgramView, key: string): Promise<Answer<"registry">> {
  if (!/^(?:HKLM|HKCU)(?:\\[^\\"\u0000-\u001f]{1,255}){1,20}$/u.test(key)) {
    return cannotTell("it is not a key of the registry");
  }
  const tree = trees.find((one) => `${key}\\`.startsWith(`${one}\\`));
  const args = tree === undefined ? ["query", key] : ["query", tree, "/s"];
  const options = { timeoutMs: timeLimitMs, env: view.env, ...remembered(key, tree) };
  const result = await view.run(view.program, args, options);
  if (result.kind !== "exited") return cannotTell(`reg.exe ${whyNot(result, timeLimitMs)}`);
  if (result.code === noSuchKey) return known<"registry">({ kind: "absent" });
  if (result.code !== 0) return cannotTell(`reg.exe ${whyNot(result, timeLimitMs)}`);
  const output = decodeOutput(result.stdout);
  if (tree === undefined) return known<"registry">({ kind: "values", ...parseKey(output, key) });
  const own = keyInTree(output, key);
  return known<"registry">(own === undefined ? { kind: "absent" } : { kind: "values", ...own });
}

/** Within one look a query is made once: a tree holds several keys, and a key may have been asked for ahead. */
export function shareQueries(run: RunProcess): { readonly run: RunProcess; clear(): void } {
  const answers = new Map<string, Promise<RunResult>>();
  return {
    run: (file, args, options) => {
      if (args[0] !== "query") return run(file, args, options);
      const key = JSON.stringify([file, ...args]);
      const answer = answers.get(key) ?? run(file, args, options);
      answers.set(key, answer);
      return answer;
    },
    clear: () => {
      answers.clear();
    },
  };
}

export function isLasting(key: string): boolean {
  return lasting.has(key);
}

function remembered(key: string, tree: string | undefined): Pick<RunOptions, "rememberMs" | "takesRemembered"> {
  if (tree !== undefined) return { rememberMs: rememberTreeMs };
  return isLasting(key) ? { rememberMs: Infinity, takesRemembered: true } : {};
}

/** Of all that `/s` prints, what stands of one key: the values below its own line, and the names of the keys below it. */
export function keyInTree(output: string, key: string): ReturnType<typeof parseKey> | undefined {
  const name = fullName(key).toLowerCase();
  const values: string[] = [];
  const subkeys = new Set<string>();
  let [isThere, isOwn] = [false, false];
  for (const line of output.split(/\r?\n/u)) {
    if (line.startsWith("HKEY_")) {
      const path = line.trimEnd();
      isOwn = path.toLowerCase() === name;
      const isBelow = path.toLowerCase().startsWith(`${name}\\`);
      if (isBelow) subkeys.add(path.slice(name.length + 1).split("\\", 1)[0] ?? "");
      isThere ||= isOwn || isBelow;
    } else if (isOwn) values.push(line);
  }
  return isThere
    ? { values: parseKey(values.join("\n"), key).values, subkeys: [...subkeys].slice(0, mostEntries) }
    : undefined;
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
