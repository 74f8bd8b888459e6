import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AdmZip from "adm-zip";
import { debianRoot } from "../support/node-root.ts";
import { wineRoot } from "../support/wine-root.ts";
import { tryCommand, type CommandResult } from "../support/run-command.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage } from "./real-package.ts";

const program = "/package/bin/capz-bootstrap";
const loader = "lib/ld-musl-x86_64.so.1";

/** A root file system with musl and busybox alone, as Alpine's: no glibc, no loader of it, no bash. */
lane("the Linux package on a system with musl", wineNeeds, () => {
  let root: string;

  beforeAll(async () => {
    const debian = await debianRoot(wineRoot);
    root = await mkdtemp(join(tmpdir(), "capz-musl-"));
    for (const folder of ["bin", "dev", "lib", "tmp", "proc", "etc"]) await mkdir(join(root, folder));
    for (const file of ["bin/busybox", loader]) await cp(join(debian, file), join(root, file), { dereference: true });
    for (const name of ["sh", "uname", "sed", "tr", "grep"]) await symlink("busybox", join(root, "bin", name));
    // Every system has it, and the launcher looks for it first.
    await writeFile(join(root, "dev/null"), "");
    const { zip } = await buildPackage("Linux");
    new AdmZip(zip).extractAllTo(join(root, "package"), true);
    await tryCommand(["chmod", "-R", "u+x", join(root, "package", "bin"), join(root, "package", "runtime")]);
  });

  afterAll(() => rm(root, { recursive: true, force: true }));

  const run = (command: string): Promise<CommandResult> =>
    tryCommand(["chroot", root, "/bin/busybox", "env", "-i", "PATH=/bin", "/bin/sh", program, command]);

  test("says plainly that it needs glibc and what to do, with the code of an unsupported system", async () => {
    for (const command of ["install", "enable", "diagnose"]) {
      const { code, stderr, stdout } = await run(command);
      expect({ code, stdout }).toEqual({ code: 51, stdout: "" });
      expect(stderr).toMatch(
        /^capz-bootstrap: this system cannot run .*: it needs glibc 2\.28 or later, and this system has musl\. Next: /u,
      );
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  });

  test("lets the guest agent disable and remove it", async () => {
    for (const command of ["disable", "uninstall"]) {
      expect(await run(command)).toMatchObject({ code: 0, stderr: expect.stringContaining("it needs glibc") });
    }
  });

  test("says the same where the kernel alone knows that the loader is missing", async () => {
    await rm(join(root, loader));
    const { code, stderr } = await run("enable");
    expect(code).toBe(51);
    expect(stderr).toContain("its loader is not here (musl is not enough)");
  });
});
