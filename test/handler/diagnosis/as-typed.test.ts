import { expect, test } from "@jest/globals";
import { asTyped, linesToReadAgain } from "../../../handler/diagnosis/as-typed.ts";
import { named } from "./named-cause.ts";

const told = [
  "[preflight] Running pre-flight checks",
  'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io on 192.0.2.1:53: no such host',
  "To see what was left out, scroll up",
];
const misspelt = 'couldn\'t parse Kubernetes version "v1.99": could not parse "v1.99" as version';

test("what a page makes of quotes, spaces and signs is undone, and every line stays", () => {
  expect(asTyped("Get\u00A0\u201Chttps://x\u201D: \u2018a\u2019")).toBe("Get \"https://x\": 'a'");
  expect(asTyped("&quot;a&quot; &amp;&amp; &lt;b&gt; isn&#39;t\n\n&nbsp;c\n")).toBe('"a" && <b> isn\'t\n\n c\n');
  expect(asTyped("**mkfs.xfs: a**\n`b c d`\n")).toBe("mkfs.xfs: a\nb c d\n");
});

test("a mark counts that stands before each line, and one of a list not where a line stands alone", () => {
  expect(asTyped("- a\n\n- b\n")).toBe("a\n\nb\n");
  expect(asTyped("a\n- b\n")).toBe("a\n- b\n");
  expect(asTyped("- a\n")).toBe("- a\n");
  expect(asTyped("12: a\n13: b\n")).toBe("a\nb\n");
  expect(asTyped("> a\n> > b\n")).toBe("a\nb\n");
  expect(asTyped("    a\n      b\n")).toBe("a\n  b\n");
  expect(asTyped("    default: a b\n")).toBe("    default: a b\n");
});

test("only lines that were typed otherwise are read again, in their place", () => {
  const pasted = "a\n\u201Cb\u201D\nc\n";
  expect(linesToReadAgain(pasted, asTyped(pasted))).toEqual([{ from: 2, to: 2, text: '"b"', certain: true }]);
});

test("a log is named the same in the clothes of a page", () => {
  const curly = (line: string): string => line.replaceAll(/"([^"]*)"/gu, "“$1”").replaceAll("'", "’");
  const escaped = (line: string): string => line.replaceAll('"', "&quot;").replaceAll("'", "&#39;");
  for (const change of [
    (line: string) => line,
    curly,
    escaped,
    (line: string) => line.replaceAll(" ", "\u00A0"),
    (line: string) => `> ${line}`,
    (line: string) => `**${line}**`,
  ]) {
    expect(named(...told.map(change))).toBe("dns-resolution-failed");
    expect(named(change(misspelt))).toBe("unsupported-kubernetes-version");
  }
});

test("kubeadm's own list of what may be the reason stays a list", () => {
  expect(
    named(
      "Unfortunately, an error has occurred:",
      "\ttimed out waiting for the condition",
      "This error is likely caused by:",
      "\t- The kubelet is not running",
      "\t- The kubelet is unhealthy due to a misconfiguration of the node in some way (required cgroups disabled)",
    ),
  ).toBe("join-timeout-unknown");
});

test.each([
  ["Packer", "==> azure-arm.ubuntu: "],
  ["Vagrant", "    default: "],
  ["Terraform", "module.node[0].null_resource.join (remote-exec): "],
  ["Compose", "k3s-server-1  | "],
  ["the runtime's log", "2026-03-01T08:00:00.123456789Z stderr F "],
])("what %s puts in front of a line is not what the line is about", (_, prefix) => {
  expect(named(`${prefix}mkfs.xfs: /dev/sdc1 appears to contain an existing filesystem (ext4).`)).toBe(
    "disk-mount-failed",
  );
  expect(named(`${prefix}error: snap not found: "made-up"`)).toBe("snap-install-failed");
  expect(named(`${prefix}Setting up kubeadm (1.30.1-1.1) ...`)).toBe("unclassified");
});

test("a value that YAML folded and quoted is what it was", () => {
  expect(
    named(
      "  - message: 'Error(1621) : GPG key not found for repo made-up-base:",
      "      signature verification failed'",
      "    reason: Failed",
    ),
  ).toBe("apt-repository-failed");
  expect(
    named("  message: 'couldn''t parse Kubernetes version \"v1.99\": could not parse", '    "v1.99" as version\''),
  ).toBe("unsupported-kubernetes-version");
  expect(named("  message: 'mkfs.xfs: /dev/sdc1 appears to", "  reason: contain an existing filesystem'")).toBe(
    "unclassified",
  );
});

test("a value that its name alone makes a secret is not read without it", () => {
  const folded = (key: string): readonly string[] => [
    `${key}: 'mkfs.xfs: /dev/sdc1 appears to contain an`,
    "  existing filesystem'",
  ];
  const read = (key: string): readonly string[] =>
    linesToReadAgain(folded(key).join("\n"), folded(key).join("\n")).map(({ text }) => text);
  expect(read("message").some((text) => text.startsWith("mkfs.xfs: "))).toBe(true);
  for (const key of ["password", "client-secret", "token"])
    expect(read(key).filter((text) => !text.startsWith(key))).toEqual([]);
});

test("what a program passes on of another is read by itself where the whole says no more than that it failed", () => {
  const inner = "mkfs.xfs: /dev/sdc1 appears to contain an existing filesystem (ext4).";
  expect(named(`Error: failed to bootstrap node: ${inner}`)).toBe("disk-mount-failed");
  expect(named(`time=2026-03-01T08:00:00Z level=ERROR msg="made up" err="${inner}"`)).toBe("disk-mount-failed");
  const ofWindows =
    "Error Service Control Manager 7000: The containerd service failed to start due to the following error";
  expect(named(`${ofWindows}: The system cannot find the file specified.`)).toBe("windows-service-start-failed");
  const task = `{"msg": "non-zero return code", "rc": 1, "stderr": "${inner}"}`;
  expect(named(`fatal: [made-up]: FAILED! => ${task}`)).toBe("disk-mount-failed");
});
