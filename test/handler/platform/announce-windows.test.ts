import { expect, test } from "@jest/globals";
import type { RunProcess } from "../../../handler/host.ts";
import { announceWindows } from "../../../handler/platform/announce-windows.ts";
import { windowsPrograms } from "../../../handler/platform/powershell-windows.ts";
import { show } from "../../../handler/text/shown-text.ts";

const programs = windowsPrograms({ SystemRoot: "C:\\Windows" }, () => true);

async function announced(line: string, failed: boolean) {
  const calls: { readonly program: string; readonly args: readonly string[]; readonly text: string | undefined }[] = [];
  const run: RunProcess = (program, args, options) => {
    calls.push({ program, args, text: options?.env?.["CAPZ_ANNOUNCED"] });
    return Promise.resolve({ kind: "not-started", reason: "this port is in use" });
  };
  await announceWindows(programs, { line: show(line), failed }, run);
  return calls;
}

test("the verdict goes to COM1 and to the Application log, and a port that is in use costs nothing", async () => {
  const [port, log] = await announced("Bootstrap failed (KubeadmFailed) in kubeadm join", true);
  expect(port).toMatchObject({
    program: "C:\\Windows\\System32\\cmd.exe",
    text: "Bootstrap failed (KubeadmFailed) in kubeadm join",
  });
  expect(port?.args.at(-1)).toBe("echo(capz-bootstrap: !CAPZ_ANNOUNCED!>\\\\.\\COM1");
  expect(log).toMatchObject({
    program: "C:\\Windows\\System32\\eventcreate.exe",
    args: ["/L", "APPLICATION", "/SO", "capz-bootstrap", "/T", "WARNING", "/ID", "2", "/D", port?.text],
  });
  expect((await announced("Bootstrapped in 61 s", false))[1]?.args).toContain("INFORMATION");
});

test("nothing in the text is read as a command, as the end of an argument or as a letter of another code page", async () => {
  const [port, log] = await announced('a "quoted" & calc | del %PATH% !PATH! > x – größer\nsecond line', true);
  expect(port?.args.join(" ")).not.toContain("calc");
  expect(port?.text).toBe("a 'quoted' & calc | del %PATH% !PATH! > x ? gr??er second line");
  expect(log?.args.at(-1)).toBe(port?.text);
});

test("a long verdict is cut", async () => {
  const [port] = await announced("word ".repeat(400), true);
  expect(port?.text?.length).toBeLessThanOrEqual(403);
});
