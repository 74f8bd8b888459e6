import type { NodeFiles } from "../support/booted-node.ts";

export const sentinel = "/run/cluster-api/bootstrap-success.complete";
/** Name of a private CAPZ control plane, as its private DNS zone carries it. */
export const endpointHost = "apiserver.team-a-prod.capz.io";

export interface CapiUserData {
  readonly preKubeadmCommands?: readonly string[];
  readonly postKubeadmCommands?: readonly string[];
}

/** User data in the shape in which Cluster API's kubeadm provider writes it for a joining node. */
export function capiUserData(options: CapiUserData = {}): string {
  const commands = [
    ...(options.preKubeadmCommands ?? []),
    `kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > ${sentinel}`,
    ...(options.postKubeadmCommands ?? []),
  ];
  return [
    "## template: jinja",
    "#cloud-config",
    "",
    "write_files:",
    "-   path: /run/kubeadm/kubeadm-join-config.yaml",
    "    owner: root:root",
    "    permissions: '0640'",
    "    content: |",
    "      ---",
    "      apiVersion: kubeadm.k8s.io/v1beta3",
    "      discovery:",
    "        bootstrapToken:",
    `          apiServerEndpoint: ${endpointHost}:6443`,
    "          caCertHashes:",
    "          - sha256:5a2d0c9d3c1a6a4f4bb5f0c7e6d4f9b8a1c2d3e4f5061728394a5b6c7d8e9f00",
    "          token: lane01.0123456789abcdef",
    "      kind: JoinConfiguration",
    "      nodeRegistration:",
    "        kubeletExtraArgs:",
    "          cloud-provider: external",
    "        name: '{{ ds.meta_data[\"local_hostname\"] }}'",
    "-   path: /run/cluster-api/placeholder",
    "    owner: root:root",
    "    permissions: '0640'",
    '    content: "This placeholder file is used to create the /run/cluster-api sub directory in a way that is compatible with both Linux and Windows (mkdir -p /run/cluster-api does not work with Windows)"',
    "runcmd:",
    ...commands.map((command) => `  - ${JSON.stringify(command)}`),
    "",
  ].join("\n");
}

/** How the stand-in for kubeadm behaves. */
export type KubeadmBehaviour =
  /** Joins: writes what a joined node has, starts the kubelet. */
  | "joins"
  /** The same, but refuses where the kubelet's files of another join lie, as kubeadm's preflight checks do. */
  | "joins-clean-machine"
  /** A preflight check fails, as on a node that had been used before. */
  | "preflight-fails"
  /** Prints and then says nothing more. */
  | "hangs"
  /** Asks the node's containerd for its version, and joins only if it answers. */
  | "asks-runtime"
  /** Really asks the resolver for the control plane's name; goes on to join only if it gets an address. */
  | "looks-up-endpoint";

/**
 * Stand-ins on the PATH for kubeadm and the kubelet: no Kubernetes is in Debian's archive. They print and exit as the
 * real kubeadm v1.30 does and leave the files that it leaves. Everything around them is real: cloud-init runs them, systemd
 * runs the kubelet's unit, the resolver is asked for real.
 */
export async function writeStandIns(node: NodeFiles, behaviour: KubeadmBehaviour): Promise<void> {
  await node.write("/usr/bin/kubeadm", kubeadm(behaviour), 0o755);
  await node.write(
    "/usr/bin/kubelet",
    `#!/bin/sh\n[ "\${1:-}" = --version ] && { echo "Kubernetes v1.34.1"; exit 0; }\nexec sleep infinity\n`,
    0o755,
  );
  await node.write(
    "/etc/systemd/system/kubelet.service",
    "[Unit]\nDescription=kubelet: The Kubernetes Node Agent\n[Service]\nExecStart=/usr/bin/kubelet\nRestart=always\n",
  );
}

function kubeadm(behaviour: KubeadmBehaviour): string {
  return `#!/bin/sh
# Stand-in for kubeadm, see test/lanes/capi-user-data.ts.
set -eu
log() {
  printf '%s %s\\n' "$1$(date -u '+%m%d %H:%M:%S.000000')    $$ join.go:000]" "$2" >&2
}
echo '[preflight] Running pre-flight checks'
${steps[behaviour]}
`;
}

const join = `
echo "[preflight] Reading configuration from the cluster..."
echo "[preflight] FYI: You can look at this config file with 'kubectl -n kube-system get cm kubeadm-config -o yaml'"
mkdir -p /etc/kubernetes /var/lib/kubelet/pki
openssl req -x509 -nodes -newkey rsa:2048 -days 1 -subj "/O=system:nodes/CN=system:node:$(hostname)" \\
  -keyout /var/lib/kubelet/pki/key.pem -out /var/lib/kubelet/pki/cert.pem 2>/dev/null
cat /var/lib/kubelet/pki/cert.pem /var/lib/kubelet/pki/key.pem >/var/lib/kubelet/pki/kubelet-client-current.pem
echo 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///var/run/containerd/containerd.sock"' >/var/lib/kubelet/kubeadm-flags.env
echo '[kubelet-start] Writing kubelet configuration to file "/var/lib/kubelet/config.yaml"'
echo '[kubelet-start] Starting the kubelet'
systemctl start kubelet.service
echo '[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap...'
echo 'apiVersion: v1' >/etc/kubernetes/kubelet.conf
echo
echo 'This node has joined the cluster:'
echo '* Certificate signing request was sent to apiserver and a response was received.'
echo '* The Kubelet was informed of the new secure connection details.'
`;

const steps: Readonly<Record<KubeadmBehaviour, string>> = {
  joins: join,
  "joins-clean-machine": `
if [ -e /etc/kubernetes/kubelet.conf ]; then
  echo 'error execution phase preflight: [preflight] Some fatal errors occurred:' >&2
  echo '	[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists' >&2
  echo '[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\`' >&2
  echo 'To see the stack trace of this error execute with --v=5 or higher' >&2
  exit 1
fi
${join}`,
  "preflight-fails": `
echo 'error execution phase preflight: [preflight] Some fatal errors occurred:' >&2
echo '	[ERROR FileAvailable--etc-kubernetes-pki-ca.crt]: /etc/kubernetes/pki/ca.crt already exists' >&2
echo '[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\`' >&2
echo 'To see the stack trace of this error execute with --v=5 or higher' >&2
exit 1`,
  hangs: `
sleep 86400`,
  "asks-runtime": `
if ! ctr --connect-timeout 2s version >/dev/null 2>&1; then
  echo 'error execution phase preflight: [preflight] Some fatal errors occurred:' >&2
  echo '	[ERROR CRI]: could not connect to the container runtime: failed to create new CRI runtime service: validate service connection: validate CRI v1 runtime API for endpoint "unix:///var/run/containerd/containerd.sock": rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/run/containerd/containerd.sock: connect: no such file or directory"' >&2
  echo '[preflight] If you know what you are doing, you can make a check non-fatal with \`--ignore-preflight-errors=...\`' >&2
  echo 'To see the stack trace of this error execute with --v=5 or higher' >&2
  exit 1
fi
${join}`,
  "looks-up-endpoint": `
if ! getent ahosts ${endpointHost} >/dev/null; then
  resolver=$(awk '$1 == "nameserver" { print $2; exit }' /etc/resolv.conf)
  echo "error execution phase preflight: couldn't validate the identity of the API Server: failed to request the cluster-info ConfigMap: Get \\"https://${endpointHost}:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s\\": dial tcp: lookup ${endpointHost} on $resolver:53: no such host" >&2
  echo 'To see the stack trace of this error execute with --v=5 or higher' >&2
  exit 1
fi
${join}`,
};
