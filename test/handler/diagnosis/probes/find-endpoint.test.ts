import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findClusterFacts, parseEndpoint } from "../../../../handler/diagnosis/probes/find-endpoint.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "endpoint-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function endpointOf(path: string, text: string): Promise<string> {
  put(path, text);
  const { endpoint } = await findClusterFacts(root);
  return endpoint === undefined ? "none" : `${endpoint.host}:${String(endpoint.port)}`;
}

const kubeconfig = "apiVersion: v1\nclusters:\n- cluster:\n    server: VALUE\n  name: default\n";

test.each([
  ["https://10.1.0.9:6443", "10.1.0.9:6443"],
  ['"https://cp.example:443"', "cp.example:443"],
  ["'https://cp.example:6443'   # the load balancer", "cp.example:6443"],
  ["https://127.0.0.1:6443", "none"],
  ["", "none"],
])("the server %s of a kubeconfig is the endpoint %s", async (value, endpoint) => {
  expect(await endpointOf("etc/kubernetes/kubelet.conf", kubeconfig.replace("VALUE", value))).toBe(endpoint);
});

test.each([
  ["etc/kubeadm.yml", "kind: ClusterConfiguration\ncontrolPlaneEndpoint: cp.example:6443\n"],
  ["run/kubeadm/kubeadm.yaml", 'discovery:\n  bootstrapToken:\n    apiServerEndpoint: "cp.example:6443"\r\n'],
  ["run/kubeadm/kubeadm-join-config.yaml", "discovery:\n  bootstrapToken:\n    apiServerEndpoint: cp.example:6443\n"],
  ["etc/rancher/rke2/config.yaml", "token: x\nserver: https://cp.example:6443\n"],
  ["etc/systemd/system/k3s-agent.service.env", "K3S_TOKEN='x'\nK3S_URL='https://cp.example:6443'\n"],
  [
    "var/log/cloud-init-output.log",
    'kubeadm join --config /run/x.yaml\n[discovery] Trying to connect to API Server "cp.example:6443"\n' +
      '[discovery] Requesting info from "https://cp.example:6443" again\n',
  ],
  [
    "var/log/cloud-init-output.log",
    "+ kubeadm join --config /run/kubeadm/kubeadm.yaml\n  kubeadm join cp.example:6443 --token x\n",
  ],
])("the endpoint is found in %s", async (path, text) => {
  expect(await endpointOf(path, text)).toBe("cp.example:6443");
  expect((await findClusterFacts(root)).endpoint?.from).toBe(`/${path}`);
});

test("a join command without an address names no endpoint", async () => {
  expect(await endpointOf("var/log/cloud-init-output.log", "kubeadm join --config x\nkubeadm join cp.example\n")).toBe(
    "none",
  );
});

test("the authority, the repository of images and the socket of the runtime are read, too", async () => {
  const authority = Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64");
  put(
    "etc/kubernetes/kubelet.conf",
    `    certificate-authority-data: ${authority}\n    server: https://cp.example:6443\n`,
  );
  put(
    "run/kubeadm/kubeadm-join-config.yaml",
    "imageRepository: registry.example/k8s\nnodeRegistration:\n  criSocket: unix:///run/containerd/containerd.sock\n",
  );
  const facts = await findClusterFacts(root);
  expect(facts.authority).toBe("-----BEGIN CERTIFICATE-----\n");
  expect(facts.imageRepository).toBe("registry.example/k8s");
  expect(facts.runtimeSocket).toBe("/run/containerd/containerd.sock");
});

test("parseEndpoint() takes addresses of both kinds and nothing local", () => {
  expect(parseEndpoint("[fd00::4]:6443")).toEqual({ host: "fd00::4", port: 6443 });
  expect(parseEndpoint("cp.example")).toEqual({ host: "cp.example", port: 6443 });
  expect(parseEndpoint("https://127.0.0.1:6443")).toBeUndefined();
  expect(parseEndpoint("::not a url::")).toBeUndefined();
});
