import { expect, test } from "@jest/globals";
import { redact } from "../../../handler/text/redact-views.ts";
import { generateSecrets } from "./generate-secrets.ts";

const generated = generateSecrets(20261121, 10_000);
/** By parts, so that what one of them is spoiled by is soon told. */
const thousands = Array.from({ length: 10 }, (_unused, at) => at * 1000);

test.each(thousands)("none of 10,000 generated secrets survives, whole or by a half: the thousand from %i", (from) => {
  const survivors = generated.slice(from, from + 1000).filter(({ secret, text }) => {
    const shown = redact(text);
    return piecesOf(secret).some((piece) => shown.includes(piece));
  });
  expect(survivors.slice(0, 12).map((leak) => ({ ...leak, shown: redact(leak.text) }))).toEqual([]);
});

test("a second pass changes nothing", () => {
  for (const { text } of generateSecrets(7, 1500)) {
    const once = redact(text);
    expect(redact(once)).toBe(once);
  }
});

test.each([
  "kubeadm join cp.example.internal:6443 --discovery-token-ca-cert-hash sha256:5f1d0a7c8b9e2f3a4b5c6d7e8f9012345678901234567890abcdefabcdef0123",
  '    caCertHashes: ["sha256:5f1d0a7c8b9e2f3a4b5c6d7e8f9012345678901234567890abcdefabcdef0123"]',
  'Failed to pull image "registry.k8s.io/kube-apiserver:v1.34.1": rpc error: code = NotFound',
  "registry.k8s.io/pause@sha256:278fb9dbcca9518083ad1e11276933a2e96f23de604a3a08cc3c80002767d24c: not found",
  "https://registry.example.com:5000/team/app@sha256:278fb9dbcca9518083ad1e11276933a2e96f23de604a3a08cc3c80002767d24c",
  "instance 6f1c1d2e-8a4b-4c55-9d3f-0123456789ab started from commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  'E1121 03:14:07.000000    1032 kubelet.go:2412] "Error getting node" err="node \\"worker-md-0-x7k2p\\" not found"',
  "containerd[812]: RunPodSandbox for 3b1f0c9e8d7c6b5a49382716050403020100ffeeddccbbaa9988776655443322 failed",
  'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
  "error getting token: dial tcp 10.0.0.4:443: i/o timeout",
  'failed to fetch token: serviceaccounts "default" is forbidden',
  'failed to fetch secret: Get "https://cp.example.internal:6443/api/v1": x509: certificate has expired',
  "couldn't load the password: open /etc/shadow: permission denied",
  "--kubeconfig=/etc/kubernetes/kubelet.conf --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf",
  "tls-private-key-file: /var/lib/kubelet/pki/kubelet.key",
  "    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem",
  "automountServiceAccountToken: false",
  "tokenTTL: 24h0m0s",
  "ssh_pwauth: false",
  "lock_passwd: true",
  "resolver 168.63.129.16 answered NXDOMAIN for cp.example.internal; search abcdefghijklmnop.bx.internal.cloudapp.net",
  "PWD=/root HOME=/root",
  "key: node-role.kubernetes.io/control-plane",
  "systemd[1]: Failed to start kubelet.service - kubelet: The Kubernetes Node Agent.",
  "Failed to connect to https://10.0.0.4:6443/healthz?timeout=10s",
  "ssh://git@git.example.com/team/repo.git",
  'MountVolume.SetUp failed for volume "kube-api-access-abcde" : object "kube-system"/"coredns" not registered',
  "Ign:4 https://packages.example.com/apt noble InRelease 404 Not Found [IP: 10.0.0.9 443]",
])("keeps readable: %s", (line) => {
  expect(redact(line)).toBe(line);
});

test("keeps the format and names the kind", () => {
  expect(redact("kubeadm join cp:6443 --token abcdef.0123456789abcdef --control-plane")).toBe(
    "kubeadm join cp:6443 --token <redacted:join-token> --control-plane",
  );
  expect(redact("https://a.blob.core.windows.net/c/x.sh?sv=1&sig=AbC%3D&se=2")).toBe(
    "https://a.blob.core.windows.net/c/x.sh?sv=1&sig=<redacted:sas>&se=2",
  );
  expect(redact("http://bob:hunter2@proxy:3128/")).toBe("http://<redacted:userinfo>@proxy:3128/");
  expect(redact("a;AccountKey=abc+/==;EndpointSuffix=x")).toBe("a;AccountKey=<redacted:account-key>;EndpointSuffix=x");
  expect(redact("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7k capi@host")).toBe("ssh-ed25519 <redacted:ssh-key> capi@host");
});

test("keeps the number of lines", () => {
  const text = "a\n-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\nb\n\nc";
  expect(redact(text)).toBe("a\n<redacted:private-key>\n<redacted:private-key>\n<redacted:private-key>\nb\n\nc");
});

test("a private key that never ends does not hide the rest of a long log", () => {
  const log = ["-----BEGIN RSA PRIVATE KEY-----", ...Array.from({ length: 600 }, (_unused, n) => `line ${n}`)].join(
    "\n",
  );
  const shown = redact(log);
  expect(shown).toContain("line 599");
  expect(shown).not.toContain("line 100\n");
});

function piecesOf(secret: string): readonly string[] {
  const middle = Math.floor(secret.length / 2);
  const halves = secret.length >= 16 ? [secret.slice(0, middle), secret.slice(middle)] : [];
  const lines = secret.includes("\n") ? secret.split("\n") : [];
  return [secret, ...halves, ...lines];
}
