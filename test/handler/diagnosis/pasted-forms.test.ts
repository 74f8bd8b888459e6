import { expect, test } from "@jest/globals";
import { linesKeptAlone } from "../../../handler/diagnosis/elided.ts";
import { named } from "./named-cause.ts";

const status = [
  "$ sudo systemctl status kubelet",
  "● kubelet.service - kubelet: The Kubernetes Node Agent",
  "     Loaded: loaded (/lib/systemd/system/kubelet.service; enabled; vendor preset: enabled)",
  "     Active: active (running) since Thu 2026-04-02 08:15:00 UTC; 5min ago",
  "   Main PID: 1221 (kubelet)",
];
const unregistered = (answer: string): string =>
  `Unable to register node "n1" with API server: Post "https://192.0.2.7:6443/api/v1/nodes": dial tcp 192.0.2.7:6443: ${answer}`;

test("a line that somebody kept alone of a log is what he shows, unless a first start explains it", () => {
  expect(named(...status, "...", unregistered("connect: no route to host"), "...")).toBe("api-server-unreachable");
  expect(named(...status, "...", unregistered("i/o timeout"), "[...]")).toBe("api-server-unreachable");
  expect(named(...status, "...", unregistered("connect: connection refused"), "...")).toBe("unclassified");
  expect(named(...status, "others", unregistered("connect: no route to host"), "others")).toBe("unclassified");
});

test("lines between marks of what was left out are kept alone, those beside other lines are not", () => {
  expect([...linesKeptAlone("a\n...\nb\n\n…\nc\nd\n[...]\ne\n")]).toEqual([3, 9]);
});

test("apt's errors with their reasons below them are read in comments of comments as without", () => {
  const update = (reason: string): readonly string[] => [
    "Err:5 https://mirror.made-up.example/deb x Release",
    `  ${reason}`,
    "Reading package lists... Done",
  ];
  const deeper = (lines: readonly string[]): readonly string[] => lines.map((line) => `# # ${line}`);
  for (const [reason, cause] of [
    ["Connection timed out after 120001 milliseconds", "http-download-failed"],
    ["404  Not Found [IP: 192.0.2.7 443]", "apt-repository-failed"],
    ["Could not resolve 'mirror.made-up.example'", "dns-resolution-failed"],
  ] as const) {
    expect(named(...update(reason))).toBe(cause);
    expect(named(...deeper(update(reason)))).toBe(cause);
  }
});

test("a mirror that does not answer is got over where the packages are unpacked", () => {
  for (const reason of [
    "404  Not Found [IP: 192.0.2.7 443]",
    "Could not connect to mirror.made-up.example:443 (192.0.2.7), connection timed out",
  ]) {
    const update = ["Err:2 https://mirror.made-up.example/tools x Release", `  ${reason}`, "Reading package lists..."];
    const ignored = "W: Some index files failed to download. They have been ignored, or old ones used instead.";
    expect(named(...update, ignored, "Unpacking containerd (1.7.2) ...", "made up", "made up")).toBe("unclassified");
    expect(named(...update, ignored, "made up", "made up", "made up")).not.toBe("unclassified");
  }
});

test("a certificate on this node's disk that kubeadm will not use is a file, one that a server shows is the server's", () => {
  const names = "x509: certificate is valid for n1, localhost, not n2";
  const written =
    'error creating PKI assets: failed to write or validate certificate "etcd-peer": certificate etcd/peer';
  expect(named(`error execution phase certs/etcd-peer: ${written} is invalid: ${names}`)).toBe(
    "pki-file-missing-or-invalid",
  );
  expect(named(`error execution phase preflight: Get "https://n2:6443/version": ${names}`)).toBe(
    "api-server-cert-invalid",
  );
});

test.each(["bash: kubectl: command not found...", "Command 'kubectl' not found, but can be installed with:"])(
  "a kubectl that has another name here lacks nobody: %s",
  (missing) => {
    const list = ["$ sudo k3s kubectl get nodes", "NAME   STATUS   ROLES                  AGE   VERSION"];
    const row = (state: string): string => `n1     ${state}    control-plane,master   2m    v1.33.1+k3s1`;
    expect(named("$ kubectl get nodes", missing, ...list, row("Ready"))).toBe("unclassified");
    expect(named("$ kubectl get nodes", missing, ...list, row("NotReady"))).toBe("preflight-binary-missing");
  },
);

test("a panic is that program's in whose files its first own frame lies", () => {
  const panic = (file: string): readonly string[] => [
    "panic: runtime error: invalid memory address or nil pointer dereference",
    "[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x15d1]",
    "",
    "goroutine 1 [running]:",
    "main.main()",
    `\t${file}:332 +0x1d`,
  ];
  expect(named(...panic("/go/src/made-up.example/flannel/main.go"))).toBe("cni-install-failed");
  expect(named(...panic("/usr/local/go/src/runtime/proc.go"))).toBe("unclassified");
  expect(named(...panic("/go/src/made-up.example/other/main.go"))).toBe("unclassified");
});

test("pods whose name servers the kubelet cannot read fail for its setting, others for whatever it is", () => {
  const failed = (file: string): string => `Failed create pod sandbox: open ${file}: no such file or directory`;
  expect(named(failed("/run/made-up/resolv.conf"))).toBe("kubelet-config-invalid");
  expect(named(failed("/run/made-up/other"))).toBe("pod-sandbox-failed");
});

test("an apt that says in any language who holds its lock is kept by it", () => {
  expect(named("E: Sperre /var/lib/dpkg/lock-frontend konnte nicht bekommen werden - open (11: Made-up)")).toBe(
    "apt-lock-held",
  );
  expect(named("E: Sperre /var/lib/dpkg/lock-frontend - open (13: Made-up)")).not.toBe("apt-lock-held");
});
