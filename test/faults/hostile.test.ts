import { expect, test } from "@jest/globals";
import { readFileSync, statSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { survives, verdictOf } from "./trials.ts";

/** The line of the check, and what its verdict must say. */
const outputs: readonly { readonly line: string; readonly message?: RegExp }[] = [
  { line: "head -c 1073741824 /dev/zero; exit 3", message: /64 MiB of output/u },
  { line: "yes 'an endless line' | head -c 1073741824 >&2; exit 3", message: /64 MiB of output/u },
  { line: "head -c 100000 /dev/zero; exit 3", message: /exited with code 3/u },
  { line: "head -c 100000 /dev/urandom; exit 3", message: /exited with code 3/u },
  {
    line: String.raw`printf 'half a character \303'; printf '\377\376\300\200' >&2; exit 3`,
    message: /exited with code 3/u,
  },
  { line: String.raw`printf '\033[31mred\033[0m \033]0;title\007 \033[2J\r\b\b'; exit 3`, message: /red/u },
  { line: "head -c 10000000 /dev/zero | tr '\\0' x; exit 3", message: /^Bootstrap failed/u },
  {
    line: String.raw`head -c 100000000 /dev/zero | tr '\0' y > "$CAPZ_CHECK_OUTPUT"; exit 3`,
    message: /exited with code 3/u,
  },
  {
    line: String.raw`printf 'message=\033[31m\377\000{"status":"success"}\n' > "$CAPZ_CHECK_OUTPUT"; exit 3`,
    message: /^Bootstrap failed/u,
  },
  { line: 'mkdir "$CAPZ_CHECK_OUTPUT"; exit 3', message: /exited with code 3/u },
  { line: 'ln -s /dev/zero "$CAPZ_CHECK_OUTPUT"; exit 3', message: /exited with code 3/u },
  { line: 'mkfifo "$CAPZ_CHECK_OUTPUT"; exit 3', message: /exited with code 3/u },
];

test("hostile output of a check: a valid, small status with the verdict, and disk and log do not fill up", async () => {
  await survives("hostileOutput", async ({ machine, index }) => {
    const { agent } = machine;
    const output = outputs[index];
    if (output === undefined) throw new Error(`There is no trial ${String(index)}`);
    machine.putCommand(index, output.line);
    await machine.enable(index);
    await verdictOf(machine, index);
    const status = readFileSync(join(agent.statusFolder, `${String(index)}.status`), "utf8");
    expect(Buffer.byteLength(status)).toBeLessThanOrEqual(16 * 1024);
    expect(status).not.toMatch(/\\u00[01]|\\u009b|\\ufffd\\ufffd\\ufffd\\ufffd/u);
    expect(sizeOf(agent.logFolder)).toBeLessThan(2 * 1024 * 1024);
    return { kind: "error", ...(output.message === undefined ? {} : { message: output.message }) };
  });
}, 180_000);

function sizeOf(folder: string): number {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      // A file that is just being replaced may be gone since the folder was listed.
      .reduce(
        (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
  );
}
