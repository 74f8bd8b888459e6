import { expect, test } from "@jest/globals";
import { buildRules } from "../../../scripts/dev/build-rules.ts";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";

const rules = loadRules(await buildRules());

/** The cause of a machine with what cloud-init's script printed, and one line of its syslog among many. */
function causeWith(output: string, line: string): string {
  const matcher = createMatcher(rules, { platform: "linux" });
  matcher.feed({ source: "cloud-init-output", origin: "/var/log/cloud-init-output.log" }, Buffer.from(`${output}\n`));
  const quiet = Array.from(
    { length: 40 },
    (_, at) => `Nov 28 20:10:${String(at + 10)} node-a cron[7]: (root) CMD (true)`,
  );
  const syslog = [...quiet, `Nov 28 20:11:00 node-a ${line}`, ...quiet];
  matcher.feed({ source: "system", origin: "/var/log/syslog" }, Buffer.from(`${syslog.join("\n")}\n`));
  const diagnosis = rankFindings(matcher.finish());
  return diagnosis.kind === "classified" ? diagnosis.primary.cause : diagnosis.kind;
}

const address =
  'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://10.0.0.4:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp 10.0.0.4:6443: i/o timeout';
const unknown = "error execution phase made-up: the made-up of node-a is missing";

/** Lines of services that no node waits for. */
const asides = [
  "corp-agent[1]: ERROR lookup telemetry.corp.example on 127.0.0.53:53: no such host",
  "exim4[1]: fatal: bind 0.0.0.0 port 25: Address already in use",
  'node_exporter[1]: level=error err="listen tcp :9100: bind: address already in use"',
  "apt.systemd.daily[9]: E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (apt-get)",
  "snapd[9]: error: Get https://api.snapcraft.io: dial tcp: lookup api.snapcraft.io on 127.0.0.53:53: server misbehaving",
  "50-motd-news[2]: curl: (28) Failed to connect to motd.example port 443 after 5001 ms: Connection timed out",
];

test.each(asides)("%s: no cause beside kubeadm's own end", (line) => {
  expect(causeWith(address, line)).toBe("api-server-unreachable");
  expect(causeWith(unknown, line)).toBe("unclassified");
});

test("the same is a cause where nothing of the bootstrap speaks, or a step of the bootstrap says it", () => {
  const line = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (apt-get)";
  expect(causeWith("Cloud-init v. 24.1 running 'modules:final'", `apt.systemd.daily[9]: ${line}`)).toBe(
    "apt-lock-held",
  );
  expect(causeWith(unknown, `install-kubeadm[9]: ${line}`)).toBe("apt-lock-held");
  expect(causeWith(unknown, `cloud-init[9]: ${line}`)).toBe("apt-lock-held");
});

test("a name that the runtime cannot resolve does not explain an address that does not answer", () => {
  const lookup =
    'containerd[9]: time="2026-11-28T20:11:00Z" level=error msg="failed to do request: Head \\"https://mirror.example/v2/\\": dial tcp: lookup mirror.example on 127.0.0.53:53: no such host"';
  expect(causeWith(address, lookup)).toBe("api-server-unreachable");
  expect(
    causeWith(address.replaceAll("10.0.0.4", "api.corp.example").replace("i/o timeout", "lookup failed"), lookup),
  ).toBe("dns-resolution-failed");
});

test("what a container or a program with a level says, at a time, is no other service's", () => {
  const last =
    'stderr F Error: Get "https://made-up.example": dial tcp: lookup made-up.example on 127.0.0.53:53: no such host';
  for (const said of [last, last.replace("stderr F Error", "ERROR made-up")]) {
    const matcher = createMatcher(rules, { platform: "linux" });
    matcher.feed(
      { source: "cloud-init-output", origin: "/var/log/cloud-init-output.log" },
      Buffer.from(`${unknown}\n`),
    );
    matcher.feed({ source: "system", origin: "/var/log/made-up.log" }, Buffer.from(`2026-11-28T20:11:30.0Z ${said}\n`));
    const diagnosis = rankFindings(matcher.finish());
    expect(diagnosis.kind === "classified" ? diagnosis.primary.cause : "").toBe("dns-resolution-failed");
  }
});

test("an API server that does not know its flag is why it is waited for in vain", () => {
  const matcher = createMatcher(rules, { platform: "linux" });
  const waited = "error execution phase wait-control-plane: could not initialize a Kubernetes cluster";
  matcher.feed({ source: "cloud-init-output", origin: "/var/log/cloud-init-output.log" }, Buffer.from(`${waited}\n`));
  const origin = "/var/log/pods/kube-system_kube-apiserver-node-a_0/kube-apiserver/3.log";
  const said = "2026-11-28T20:11:30.0Z stderr F Error: unknown flag: --enable-made-up\n";
  matcher.feed({ source: "system", origin }, Buffer.from(said));
  const diagnosis = rankFindings(matcher.finish());
  expect(diagnosis.kind === "classified" ? diagnosis.primary.cause : "").toBe("control-plane-component-crash");
});

test("Azure's temporary disk is no disk of the node", () => {
  const mount = (device: string): string =>
    `cloud-init[9]: mount: /mnt: special device /dev/disk/${device} does not exist.`;
  expect(causeWith(unknown, mount("cloud/azure_resource-part1"))).toBe("unclassified");
  expect(causeWith(unknown, mount("azure/scsi1/lun0"))).toBe("disk-mount-failed");
});
