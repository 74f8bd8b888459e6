import { expect, test } from "@jest/globals";
import { readMessage } from "../../../../handler/diagnosis/reading/read-line.ts";
import { readStatement } from "../../../../handler/diagnosis/reading/statement.ts";

test.each([
  "install: cannot create regular file '/etc/containerd/config.toml': No such file or directory",
  "tar: /opt/cni.tgz: Cannot open: No such file or directory",
  "swapoff: /swap.img: swapoff failed: Cannot allocate memory",
  "cp: cannot stat '/opt/etcd/ca.crt': No such file or directory",
  "sed: can't read /etc/containerd/config.toml: No such file or directory",
])("a tool speaks of its own work, and not for whose file it is about: %s", (line) => {
  const statement = readStatement(line, "cloud-init-output");
  expect(statement.program).toBe("shell");
  expect(readMessage(statement)).toBeUndefined();
});

test.each([
  ["cp: error writing '/usr/local/bin/kubelet': No space left on device", "disk-full"],
  ["install: cannot create regular file '/usr/bin/kubeadm': Read-only file system", "disk-mount-failed"],
  [
    "containerd: failed to load /etc/containerd/config.toml: no such file or directory",
    "container-runtime-not-running",
  ],
])("%s", (line, cause) => {
  expect(readMessage(readStatement(line, "cloud-init-output"))?.cause).toBe(cause);
});
