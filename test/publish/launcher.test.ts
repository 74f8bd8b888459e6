import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lane } from "../lanes/lane.ts";

const project = join(import.meta.dirname, "../..");
/** The shells that stand behind /bin/sh: Debian and Ubuntu, BusyBox images, Red Hat and Azure Linux. */
const shells = [["dash"], ["busybox", "sh"], ["bash", "--posix"]] as const;
/** A folder name as a person might choose it for `run`. */
let packageFolder = "";
let scratch = "";
const architecture = process.arch === "arm64" ? "arm64" : "x64";

const program = `
console.log(JSON.stringify({
  args: process.argv.slice(2),
  variables: Object.keys(process.env).filter((name) => /^(NODE_|LD_|OPENSSL_|SSLKEY|CAPZ_BOOTSTRAP_TRIES)/.test(name)).sort(),
  cwd: process.cwd(),
  flags: process.execArgv,
  parent: process.ppid,
}));
process.exitCode = Number(process.argv[2] ?? 0);
`;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "capz-launcher-"));
  packageFolder = join(scratch, "a folder (üñí) with 'quotes'");
  const runtime = join(packageFolder, `runtime/linux-${architecture}`);
  await mkdir(runtime, { recursive: true });
  await mkdir(join(packageFolder, "bin"));
  await copyFile(process.execPath, join(runtime, "node"));
  await copyFile(join(project, "bin/capz-bootstrap"), join(packageFolder, "bin/capz-bootstrap"));
  await writeFile(join(packageFolder, "capz-bootstrap.cjs"), program);
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly launcher?: string;
}

/** Without the shell, skipped on a developer's machine and a failure in continuous integration. */
describe.each(shells)("the launcher", (...shell) => {
  lane(`under ${shell.join(" ")}`, { programs: [shell[0]], root: false }, () => {
    launches(shell);
  });
});

function launches(shell: readonly string[]): void {
  const run = (args: readonly string[], options: LaunchOptions = {}) => {
    const [file = "", ...first] = shell;
    const launcher = options.launcher ?? join(packageFolder, "bin/capz-bootstrap");
    return spawnSync(file, [...first, launcher, ...args], {
      encoding: "utf8",
      cwd: options.cwd,
      env: { PATH: process.env["PATH"], ...options.env },
    });
  };
  const printed = (output: string): unknown => JSON.parse(output);

  test("hands arguments and the exit code on unchanged", () => {
    const result = run(["7", "a b", 'c"d', "*", ""]);
    expect(result.status).toBe(7);
    expect(printed(result.stdout)).toMatchObject({ args: ["7", "a b", 'c"d', "*", ""] });
  });

  test("becomes Node: no shell stays behind", () => {
    const result = run(["0"]);
    expect(printed(result.stdout)).toMatchObject({ parent: process.pid });
  });

  test("lets no variable in that would load code into Node, and keeps the administrator's certificate authority", () => {
    const hook = join(scratch, "hook.cjs");
    const result = run(["0"], {
      env: {
        NODE_OPTIONS: `--require ${hook}`,
        NODE_PATH: scratch,
        NODE_V8_COVERAGE: join(scratch, "coverage"),
        NODE_TLS_REJECT_UNAUTHORIZED: "0",
        LD_PRELOAD: "",
        OPENSSL_CONF: join(scratch, "openssl.cnf"),
        NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
      },
    });
    expect(result.stderr).toBe("");
    expect(printed(result.stdout)).toMatchObject({ variables: ["NODE_EXTRA_CA_CERTS"] });
  });

  test("honours the proxy and the system's certificates", () => {
    expect(printed(run(["0"]).stdout)).toMatchObject({ flags: ["--use-env-proxy", "--use-system-ca"] });
  });

  test("finds its folder by a relative path and leaves the working directory alone", () => {
    const result = run(["0"], { cwd: packageFolder, launcher: "bin/capz-bootstrap" });
    expect(printed(result.stdout)).toMatchObject({ cwd: packageFolder });
    expect(run(["0"], { cwd: join(packageFolder, "bin"), launcher: "capz-bootstrap" }).status).toBe(0);
  });

  test("waits out a program file that someone still has open for writing", async () => {
    const node = join(packageFolder, `runtime/linux-${architecture}/node`);
    const writer = await open(node, "r+");
    const [file = "", ...first] = shell;
    const child = spawn(file, [...first, join(packageFolder, "bin/capz-bootstrap"), "5"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let complaints = "";
    const ended = new Promise((resolve) => child.once("exit", resolve));
    try {
      await new Promise((resolve) => {
        child.stderr.on("data", (part: Buffer) => {
          complaints += part.toString();
          resolve(undefined);
        });
        child.once("exit", resolve);
      });
    } finally {
      // Left open, it would make every later case fail.
      await writer.close();
    }
    expect(await ended).toBe(5);
    expect(complaints.toLowerCase()).toContain("text file busy");
  });

  test("makes the program executable when unpacking lost the mode", async () => {
    const node = join(packageFolder, `runtime/linux-${architecture}/node`);
    await chmod(node, 0o644);
    expect(run(["0"]).status).toBe(0);
  });

  test("says that the package is incomplete when the program is missing", async () => {
    const folder = await mkdtemp(join(scratch, "missing-"));
    await mkdir(join(folder, "bin"));
    await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
    const result = run(["0"], { launcher: join(folder, "bin/capz-bootstrap") });
    expect(result.status).toBe(52);
    expect(result.stderr).toContain("was not unpacked completely");
  });

  test.each(["disable", "uninstall"])(
    "%s of a package that lost its program stops what it started and is content",
    async (name) => {
      const parent = await mkdtemp(join(scratch, "lost-"));
      const folder = join(parent, "Some.Handler-1.2.3");
      const state = join(parent, "var/lib/capz-bootstrap/Some.Handler");
      for (const made of [join(folder, "bin"), state, join(parent, "path")]) await mkdir(made, { recursive: true });
      await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
      // Stands in for systemd, which a test must not command; the booted nodes have the real one.
      await writeFile(join(parent, "path/systemctl"), `#!/bin/sh\necho "$@" >>${parent}/asked\n`, { mode: 0o755 });
      const program = join(parent, "capz-bootstrap.cjs");
      await writeFile(program, "setInterval(() => {}, 1000);");
      const supervisor = spawn(process.execPath, [program, "supervise"], { stdio: "ignore" });
      const stranger = spawn("sleep", ["60"], { stdio: "ignore" });
      const lock = (pid: number | undefined) => JSON.stringify({ pid, startTime: "1", sequence: 0 });
      await writeFile(join(state, "supervisor.lock.1"), lock(stranger.pid));
      await writeFile(join(state, "supervisor.lock.2"), lock(supervisor.pid));
      const ended = new Promise((resolve) =>
        supervisor.once("exit", (_, signal) => {
          resolve(signal);
        }),
      );
      const result = run([name], {
        launcher: join(folder, "bin/capz-bootstrap"),
        env: { PATH: `${join(parent, "path")}:${process.env["PATH"] ?? ""}`, CAPZ_BOOTSTRAP_ROOT: parent },
      });
      expect(result).toMatchObject({ status: 0 });
      expect(result.stderr).toContain("was not unpacked completely");
      expect(await readFile(join(parent, "asked"), "utf8")).toContain("stop capz-bootstrap-Some.Handler-*.service");
      expect(await ended).toBe("SIGTERM");
      // Nor does it go on when it is started again.
      expect(existsSync(join(state, "stopped"))).toBe(true);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
      stranger.kill();
    },
  );

  test("every other command of such a package fails and says why", async () => {
    const folder = await mkdtemp(join(scratch, "lost-"));
    await mkdir(join(folder, "bin"));
    await mkdir(join(folder, `runtime/linux-${architecture}`), { recursive: true });
    await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
    await copyFile(process.execPath, join(folder, `runtime/linux-${architecture}/node`));
    const result = run(["enable"], { launcher: join(folder, "bin/capz-bootstrap") });
    expect(result.status).toBe(52);
    expect(result.stderr).toContain("capz-bootstrap.cjs is missing");
  });

  // A full disk leaves empty files: Node, and a shell in the place of an empty Node, would run one and be content.
  test.each(["capz-bootstrap.cjs", `runtime/linux-${architecture}/node`])(
    "an empty %s is told, and never run",
    async (name) => {
      const folder = await mkdtemp(join(scratch, "empty-"));
      await mkdir(join(folder, "bin"));
      await mkdir(join(folder, `runtime/linux-${architecture}`), { recursive: true });
      await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
      await symlink(process.execPath, join(folder, `runtime/linux-${architecture}/node`));
      await writeFile(join(folder, "capz-bootstrap.cjs"), program);
      await rm(join(folder, name));
      await writeFile(join(folder, name), "");
      const launcher = join(folder, "bin/capz-bootstrap");
      expect(run(["enable"], { launcher })).toMatchObject({ status: 52, stderr: expect.stringContaining("is empty") });
      expect(run(["disable"], { launcher })).toMatchObject({
        status: 0,
        stderr: expect.stringContaining("has stopped"),
      });
    },
  );

  test("disable of a program that ends in the middle of it stops what it started and is content", async () => {
    const parent = await mkdtemp(join(scratch, "half-"));
    const folder = join(parent, "Some.Handler-1.2.3");
    for (const made of [join(folder, "bin"), join(folder, `runtime/linux-${architecture}`), join(parent, "path")])
      await mkdir(made, { recursive: true });
    await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
    await symlink(process.execPath, join(folder, `runtime/linux-${architecture}/node`));
    await writeFile(join(folder, "capz-bootstrap.cjs"), 'process.stderr.write("lost\\n"); process.exit(52);');
    await writeFile(join(parent, "path/systemctl"), `#!/bin/sh\necho "$@" >>${parent}/asked\n`, { mode: 0o755 });
    const env = { PATH: `${join(parent, "path")}:${process.env["PATH"] ?? ""}`, CAPZ_BOOTSTRAP_ROOT: parent };
    const launcher = join(folder, "bin/capz-bootstrap");
    expect(run(["disable"], { launcher, env })).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^lost\n.*stopped/u),
    });
    expect(run(["end-run"], { launcher, env })).toMatchObject({ status: 52, stderr: "lost\n" });
    expect(run(["enable"], { launcher, env })).toMatchObject({ status: 52, stderr: "lost\n" });
    const asked = await readFile(join(parent, "asked"), "utf8");
    expect(asked.match(/stop capz-bootstrap-(?:Some.Handler|run)-/gu)).toHaveLength(2);
  });

  test("says what is missing where the C library cannot run the program", async () => {
    const folder = await mkdtemp(join(scratch, "musl-"));
    await mkdir(join(folder, `runtime/linux-${architecture}`), { recursive: true });
    await mkdir(join(folder, "bin"));
    await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
    await writeFile(join(folder, "capz-bootstrap.cjs"), "0");
    // The kernel answers "no such file" for a program whose loader does not exist, as it does for glibc's on musl.
    await writeFile(join(folder, `runtime/linux-${architecture}/node`), "#!/lib/no-such-loader.so\n", { mode: 0o755 });
    const result = run(["0"], { launcher: join(folder, "bin/capz-bootstrap") });
    expect(result.status).toBe(51);
    expect(result.stderr).toContain("needs glibc 2.28");
  });

  test("names a file system that forbids programs", async () => {
    const folder = await mkdtemp(join(scratch, "noexec-"));
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "noexec", "tmpfs", folder]);
    if (mounted.status !== 0) {
      if (process.env["CI"] === "true") throw new Error(`cannot mount: ${mounted.stderr.toString()}`);
      return;
    }
    try {
      await mkdir(join(folder, `runtime/linux-${architecture}`), { recursive: true });
      await mkdir(join(folder, "bin"));
      await writeFile(join(folder, "capz-bootstrap.cjs"), "0");
      await copyFile(join(project, "bin/capz-bootstrap"), join(folder, "bin/capz-bootstrap"));
      await writeFile(join(folder, `runtime/linux-${architecture}/node`), "#!/bin/sh\n", { mode: 0o755 });
      const result = run(["0"], { launcher: join(folder, "bin/capz-bootstrap") });
      expect(result.status).toBe(126);
      expect(result.stderr.match(/mounted noexec/g)).toHaveLength(1);
    } finally {
      spawnSync("umount", [folder]);
    }
  });

  test("refuses an architecture that the package does not have", async () => {
    const folder = await mkdtemp(join(scratch, "path-"));
    await writeFile(join(folder, "uname"), "#!/bin/sh\necho riscv64\n", { mode: 0o755 });
    const result = run(["0"], { env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` } });
    expect(result.status).toBe(51);
    expect(result.stderr).toContain("no program for the architecture riscv64");
  });

  test("finds its package through links to itself, as a person puts one into /usr/local/bin", async () => {
    const folder = await mkdtemp(join(scratch, "links-"));
    await symlink(join(packageFolder, "bin/capz-bootstrap"), join(folder, "first"));
    await mkdir(join(folder, "in"));
    await symlink("../first", join(folder, "in/second"));
    expect(run(["0"], { launcher: join(folder, "first") }).status).toBe(0);
    expect(run(["7"], { launcher: "in/second", cwd: folder }).status).toBe(7);
  });

  test("says in one sentence that there is no /dev/null, also where standard input is closed", () => {
    const [file = "", ...first] = shell;
    const bare = ["-m", "/bin/sh", "-c", 'mount -t tmpfs tmpfs /dev || exit 77; exec "$@" <&-', "sh"];
    const launcher = join(packageFolder, "bin/capz-bootstrap");
    const { status, stderr } = spawnSync("unshare", [...bare, file, ...first, launcher, "0"], { encoding: "utf8" });
    if (process.getuid?.() !== 0) return;
    expect({ status, stderr }).toEqual({
      status: 51,
      stderr: expect.stringMatching(/^[^\n]*no \/dev\/null[^\n]*\n$/u),
    });
  });

  test("works through a symbolic link to its folder", async () => {
    const link = join(scratch, `link-${shell.join("-")}`);
    await symlink(packageFolder, link);
    expect(run(["0"], { launcher: join(link, "bin/capz-bootstrap") }).status).toBe(0);
  });
}

test("the Windows launcher clears the same variables as the Linux one", async () => {
  const clearedBy = async (name: string): Promise<readonly string[]> => {
    const text = await readFile(join(project, "bin", name), "utf8");
    return [...new Set(text.match(/\b(?:NODE|OPENSSL)_[A-Z0-9_]+|\bSSLKEYLOGFILE/g))]
      .filter((variable) => variable !== "NODE_EXTRA_CA_CERTS")
      .sort();
  };
  expect(await clearedBy("capz-bootstrap.cmd")).toEqual(await clearedBy("capz-bootstrap"));
});
