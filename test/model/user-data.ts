import type { Provider, Role, UserDataKind } from "./history.ts";
import type { Machine } from "./machine.ts";
import { pathOn } from "./kubelet.ts";

/** A file that the user data writes before its commands run. */
export interface UserFile {
  readonly path: string;
  readonly text: string;
}

export const sentinelPath = (machine: Machine): string =>
  pathOn(machine, "/run/cluster-api/bootstrap-success.complete");

const sentinelCommand = "echo success > /run/cluster-api/bootstrap-success.complete";

/** The service that a distribution runs its node in. */
export function serviceUnit(machine: Machine): string {
  const server = machine.life.role !== "join-worker";
  switch (machine.life.provider) {
    case "rke2":
      return server ? "rke2-server.service" : "rke2-agent.service";
    case "k3s":
      return server ? "k3s.service" : "k3s-agent.service";
    case "k0s":
      return server ? "k0scontroller.service" : "k0sworker.service";
    case "microk8s":
      return "snap.microk8s.daemon-kubelite.service";
    case "canonical-kubernetes":
      return "snap.k8s.kubelet.service";
    case "kubeadm":
    case "kubeadm-ignition":
      return "kubelet.service";
  }
}

/** The node's commands, as each bootstrap provider renders them: what is chained with && and what is an entry of its own. */
const commandsOf: Readonly<Record<Provider, (role: Role, unit: string) => readonly string[]>> = {
  kubeadm: kubeadmCommands,
  "kubeadm-ignition": kubeadmCommands,
  rke2: (_role, unit) => [
    "curl -sfL https://get.rke2.io | INSTALL_RKE2_VERSION=v1.31.4+rke2r1 sh -s -",
    `systemctl enable ${unit}`,
    `systemctl start ${unit}`,
    "mkdir -p /run/cluster-api",
    sentinelCommand,
  ],
  k3s: (role) => [
    `curl -sfL https://get.k3s.io |  INSTALL_K3S_VERSION=v1.31.4+k3s1 sh -s - ${role === "join-worker" ? "agent" : "server"} && mkdir -p /run/cluster-api && ${sentinelCommand}`,
  ],
  k0s: (role, unit) => [
    "curl -sSfL --retry 5 https://get.k0s.sh | K0S_VERSION=v1.31.4+k0s.0 sh",
    `/usr/local/bin/k0s install ${role === "join-worker" ? "worker --token-file /etc/k0s.token" : "controller"}`,
    `(command -v systemctl > /dev/null 2>&1 && systemctl start ${unit.replace(".service", "")}) || (echo "Not a supported init system"; false)`,
    "mkdir -p /run/cluster-api && touch /run/cluster-api/bootstrap-success.complete",
  ],
  microk8s: (role) => [
    '/capi-scripts/00-install-microk8s.sh "--channel 1.31 --classic" false',
    ...(role === "init" ? [] : ['/capi-scripts/20-microk8s-join.sh yes "10.0.0.4:25000/token"']),
    "/capi-scripts/30-configure-traefik.sh capz-apiserver.example.net 6443 yes",
  ],
  "canonical-kubernetes": (role) => [
    "set -x",
    "/capi/scripts/install.sh",
    role === "init" ? "/capi/scripts/bootstrap.sh" : "/capi/scripts/join-cluster.sh",
    "/capi/scripts/configure-node-token.sh",
    "/capi/scripts/create-sentinel-bootstrap.sh",
  ],
};

function kubeadmCommands(role: Role): readonly string[] {
  const command =
    role === "init" ? "init --config /run/kubeadm/kubeadm.yaml" : "join --config /run/kubeadm/kubeadm-join-config.yaml";
  return [`kubeadm ${command}  && ${sentinelCommand}`];
}

export function nodeCommands(machine: Machine): readonly string[] {
  return commandsOf[machine.life.provider](machine.life.role, serviceUnit(machine));
}

const ownCommands: Readonly<Record<UserDataKind, readonly string[]>> = {
  provider: [],
  "provider-multipart": [],
  none: [],
  empty: [],
  "comment-only": [],
  broken: [],
  "own-unrelated": ["apt-get install -y nginx"],
  "own-fails": ["/opt/set-up.sh"],
  "own-writes-sentinel": ["/opt/join.sh", "mkdir -p /run/cluster-api", sentinelCommand],
  "own-joins-without-sentinel": ["/opt/join.sh"],
  "own-joins-in-background": ["nohup /opt/join.sh > /var/log/join.log 2>&1 &"],
  "own-joins-by-service": [
    "printf '[Service]\\nExecStart=kubeadm join --config /etc/join.yaml\\n' > /etc/systemd/system/join.service",
    "systemctl start --no-block join.service",
  ],
};

/** All commands of the script, in their order. */
export function scriptCommands(machine: Machine): readonly string[] {
  const { userData, attempts } = machine.life;
  if (userData !== "provider" && userData !== "provider-multipart") return ownCommands[userData];
  const { before, after, restarts } = attempts[0];
  return [
    ...(before === "none" ? [] : ["/opt/prepare.sh"]),
    ...(restarts === "before-join" ? ["test -e /opt/driver || reboot"] : []),
    ...nodeCommands(machine),
    ...(after === "none" ? [] : ["/opt/label-node.sh"]),
    ...(restarts === "at-end" ? ["shutdown -r +1"] : []),
  ];
}

/** The files of a provider's user data that tell who it is. */
export function userFiles(machine: Machine): readonly UserFile[] {
  const { provider, role } = machine.life;
  const file = (path: string, text = "# by the bootstrap provider\n"): UserFile => ({
    path: pathOn(machine, path),
    text,
  });
  switch (provider) {
    case "kubeadm":
      return [
        file(
          role === "init" ? "/run/kubeadm/kubeadm.yaml" : "/run/kubeadm/kubeadm-join-config.yaml",
          "---\napiVersion: kubeadm.k8s.io/v1beta4\n",
        ),
        file(
          "/run/cluster-api/placeholder",
          "This placeholder file is used to create the /run/cluster-api sub directory",
        ),
        ...(role === "join-worker" || machine.system === "windows" ? [] : [file("/etc/kubernetes/pki/ca.key")]),
      ];
    case "kubeadm-ignition":
      return [];
    case "rke2":
    case "k3s":
      return [file(`/etc/rancher/${provider}/config.yaml`, "server: https://10.0.0.4:9345\ntoken: K10::secret\n")];
    case "k0s":
      return role === "join-worker" ? [file("/etc/k0s.token", "H4sIAAAA\n")] : [file("/etc/k0s.yaml")];
    case "microk8s":
      return [file("/capi-scripts/00-install-microk8s.sh"), file("/capi-scripts/20-microk8s-join.sh")];
    case "canonical-kubernetes":
      return [
        file("/capi/scripts/install.sh"),
        file("/capi/scripts/create-sentinel-bootstrap.sh"),
        file("/capi/etc/node-name", `${machine.hostName}\n`),
      ];
  }
}

const textsWithoutCommands: Readonly<Partial<Record<UserDataKind, string>>> = {
  none: "",
  empty: "",
  "comment-only": "#cloud-config\n",
  broken: "#cloud-config\nruncmd:\n - kubeadm join: [\n\tx\n",
};

/** The user data as text, as cloud-init keeps it. */
export function userDataText(machine: Machine): string {
  const { userData } = machine.life;
  const plain = textsWithoutCommands[userData];
  if (plain !== undefined) return plain;
  if (userData.startsWith("own")) return `#!/bin/sh\n${scriptCommands(machine).join("\n")}\n`;
  const config = cloudConfig(machine);
  return userData === "provider"
    ? config
    : `Content-Type: multipart/mixed; boundary="==B=="\nMIME-Version: 1.0\n\n--==B==\nContent-Type: text/cloud-config\n\n${config}\n--==B==--\n`;
}

function cloudConfig(machine: Machine): string {
  const files = userFiles(machine)
    .map((file) => `-   path: ${file.path}\n    content: |\n      ${file.text.replaceAll("\n", "\n      ")}\n`)
    .join("");
  const commands = scriptCommands(machine)
    .map((command) => `  - ${JSON.stringify(command)}\n`)
    .join("");
  return `## template: jinja\n#cloud-config\n\nwrite_files:\n${files}runcmd:\n${commands}`;
}
