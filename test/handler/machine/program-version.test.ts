import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { askVersion } from "../../../handler/machine/program-version.ts";
import { linux } from "../../../handler/platform/linux.ts";
import { runProcess } from "../../../handler/process/run-process.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "capz-version-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function install(path: string, script: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const ask = (program: "kubelet" | "containerd") => askVersion({ root, run: runProcess, platform: linux }, program);

test("a program of the machine says its version", async () => {
  await install("usr/local/bin/kubelet", `[ "$1" = --version ] && echo 'Kubernetes v1.34.1'`);
  await install("opt/bin/containerd", "echo 'containerd github.com/containerd/containerd/v2 2.1.4 75cb2b7'");
  expect(await ask("kubelet")).toBe("v1.34.1");
  expect(await ask("containerd")).toBe("2.1.4");
});

test("one that anybody may have put on the PATH is not run", async () => {
  await install("home/user/bin/kubelet", `echo 'Kubernetes v9.9.9'; : >"${join(root, "was-run")}"`);
  const before = process.env["PATH"];
  process.env["PATH"] = `${join(root, "home/user/bin")}:${before ?? ""}`;
  try {
    expect(await ask("kubelet")).toBeUndefined();
  } finally {
    process.env["PATH"] = before;
  }
});

test.each([
  ["fails", "echo 'Kubernetes v1.34.1'; exit 1"],
  ["names no version", "echo 'unknown flag'"],
])("a program that %s has none", async (_, script) => {
  await install("usr/bin/kubelet", script);
  expect(await ask("kubelet")).toBeUndefined();
});

test("a program that cannot be started has none", async () => {
  await install("usr/bin/kubelet", "exit 0");
  const run = () => Promise.reject(new Error("no process"));
  expect(await askVersion({ root, run, platform: linux }, "kubelet")).toBeUndefined();
});
