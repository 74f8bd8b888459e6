import { beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lane } from "./lane.ts";
import { printVersions } from "./print-versions.ts";
import { buildPackage } from "./real-package.ts";

const emulator = "qemu-aarch64-static";
const libraries = "/usr/aarch64-linux-gnu";

lane("the arm64 program of the package under qemu-user", { programs: [emulator, "unzip"], root: false }, () => {
  let folder = "";

  beforeAll(async () => {
    const { zip } = await buildPackage("Linux");
    folder = await mkdtemp(join(tmpdir(), "capz-arm64-"));
    expect(spawnSync("unzip", ["-q", zip, "-d", folder]).status).toBe(0);
    const version = spawnSync(emulator, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0];
    printVersions("arm64", version ?? "");
  });

  const run = (...args: readonly string[]) =>
    spawnSync(emulator, ["-L", libraries, join(folder, "runtime/linux-arm64/node"), ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], CAPZ_BOOTSTRAP_ROOT: join(folder, "root") },
    });

  test("is the pinned Node for arm64", () => {
    expect(run("-p", "process.arch + process.version").stdout).toBe("arm64v24.21.0\n");
  });

  test("runs the bundled handler", () => {
    const result = run(join(folder, "capz-bootstrap.cjs"), "--help");
    expect(result.status).toBe(0);
    expect(result.stdout).toContain("Usage: capz-bootstrap");
  });

  test("looks at a machine with the package's own check", async () => {
    await mkdir(join(folder, "root", "proc"), { recursive: true });
    await writeFile(join(folder, "root", "proc", "uptime"), "300.25 410.10\n");
    const result = run(join(folder, "capz-bootstrap.cjs"), "check", "--json");
    expect(result).toMatchObject({ status: 75, stderr: "" });
    expect(JSON.parse(result.stdout)).toMatchObject({ verdict: "not-yet", record: { protocol: 2 } });
  });

  test("reads settings and reports their problems as on x64", async () => {
    const settings = join(folder, "settings.json");
    await writeFile(settings, '{"timeoutSeconds":"soon"}');
    const result = run(join(folder, "capz-bootstrap.cjs"), "settings", "check", settings);
    expect(result.status).not.toBe(0);
    expect(result.stdout + result.stderr).toContain("timeoutSeconds");
  });
});
