import { describe, expect, test } from "@jest/globals";
import { named } from "./named-cause.ts";

const apkFetch = "fetch https://apk.made-up.example/v3.20/main/x86_64/APKINDEX.tar.gz";
const task = (fields: string): string => `fatal: [n1]: FAILED! => {"changed": false, ${fields}}`;

/** What programs of many languages and distributions say of names, proxies, files, clocks, images, packages and versions. */
const said: readonly (readonly [cause: string, ...lines: readonly string[]])[] = [
  ["dns-resolution-failed", "curl: (28) Resolving timed out after 4001 milliseconds"],
  ["dns-resolution-failed", "Caused by:", "    0: dns error", "    1: failed to lookup address information: Try again"],
  ["dns-resolution-failed", "npm ERR! reason: getaddrinfo ENOTFOUND files.made-up.example"],
  [
    "dns-resolution-failed",
    'Exception in thread "main" java.net.UnknownHostException: files.made-up.example',
    "\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:567)",
  ],
  [
    "dns-resolution-failed",
    apkFetch,
    "WARNING: fetching https://apk.made-up.example/v3.20/main: temporary error (try again later)",
    "ERROR: unable to select packages:",
    "  kubelet (no such package):",
  ],
  [
    "dns-resolution-failed",
    task(
      '"cmd": ["host", "files.made-up.example"], "msg": "non-zero return code", "rc": 1, "stderr": "", "stdout": ";; connection timed out; no servers could be reached"',
    ),
  ],
  [
    "proxy-misconfigured",
    "curl: (7) Failed to connect to webproxy.made-up.example port 8081 after 4 ms: Connection refused",
  ],
  ["proxy-misconfigured", "curl: (7) Failed to connect to 10.61.0.9 port 3128 after 4 ms: Connection refused"],
  ["proxy-misconfigured", "curl: (56) Proxy CONNECT aborted"],
  ["proxy-misconfigured", "wget: unable to resolve host address ‘squid2.made-up.example’"],
  ["proxy-misconfigured", "Proxy request sent, awaiting response... 503 Service Unavailable"],
  ["proxy-misconfigured", 'reqwest::Error { kind: Connect, source: "unsuccessful tunnel" }'],
  ["proxy-misconfigured", "error: builder error: invalid proxy url: relative URL without a base"],
  ["proxy-misconfigured", "requests.exceptions.InvalidProxyURL: Please check proxy URL. It is malformed."],
  ["proxy-misconfigured", 'failed to fetch: Get "https://files.made-up.example/a": proxy: unknown scheme: htps'],
  ["proxy-misconfigured", "Unable to connect to the server: Gateway Timeout"],
  [
    "proxy-misconfigured",
    "[discovery] Failed to request cluster info, will try again: [Get https://10.61.0.4:6443/api/v1/namespaces/kube-public/configmaps/cluster-info: Forbidden]",
  ],
  [
    "proxy-misconfigured",
    "Err:3 http://deb.made-up.example stable InRelease",
    "  403  URLBlocked [IP: 10.61.0.9 3128]",
    "E: The repository 'http://deb.made-up.example stable InRelease' is not signed.",
  ],
  [
    "proxy-misconfigured",
    "error: cannot perform the following tasks:",
    '- Download snap "core24" (99) from channel "stable" (proxyconnect tcp: dial tcp 10.61.0.9:3128: connect: no route to host)',
  ],
  [
    "http-download-failed",
    "tar: This does not look like a tar archive",
    "tar: Exiting with failure status due to previous errors",
  ],
  ["http-download-failed", "xz: (stdin): File format not recognized", "tar: Child returned status 1"],
  ["http-download-failed", "HTTP request sent, awaiting response... No data received.", "Retrying.", "", "Giving up."],
  ["http-download-failed", "ERROR: cannot verify files.made-up.example's certificate, issued by ‘CN=Made Up CA’:"],
  [
    "http-download-failed",
    "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: https://files.made-up.example/cni/1",
  ],
  [
    "http-download-failed",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='files.made-up.example', port=443): Read timed out. (read timeout=9)",
  ],
  ["http-download-failed", "urllib.error.HTTPError: HTTP Error 404: Not Found"],
  [
    "http-download-failed",
    'unable to read URL "https://files.made-up.example/flannel/kube-flannel.yml", server reported 404 Not Found, status code=404',
  ],
  [
    "http-download-failed",
    'error: Get "https://files.made-up.example/manifests/calico.yaml": net/http: TLS handshake timeout',
  ],
  [
    "http-download-failed",
    "error: RPC failed; curl 56 GnuTLS recv error (-54): Error in the pull function.",
    "fatal: early EOF",
  ],
  [
    "http-download-failed",
    task('"msg": "Request failed", "response": "HTTP Error 403: Forbidden", "url": "https://files.made-up.example/a"'),
  ],
  [
    "http-download-failed",
    "ERROR: https://apk.made-up.example/v3.20/main: network error (check Internet connection and firewall)",
    "ERROR: unable to select packages:",
    "  conntrack-tools (no such package):",
  ],
  [
    "http-download-failed",
    "error: failed retrieving file 'extra.db' from pac.made-up.example : Connection timed out after 10001 milliseconds",
    "error: failed to update extra (download library error)",
  ],
  [
    "http-download-failed",
    "Err:1 http://deb.made-up.example stable InRelease",
    "  Connection failed [IP: 10.61.0.8 80]",
    "E: Unable to locate package containerd",
  ],
  ["clock-skew", "Caused by: javax.net.ssl.SSLHandshakeException: NotBefore: Thu Apr 02 08:15:10 UTC 2026"],
  ["clock-skew", "gpg: key 0123456789ABCDEF was created 412233 seconds in the future (time warp or clock problem)"],
  [
    "clock-skew",
    'E0402 08:15:10.123456 1 authentication.go:73] "Unable to authenticate the request" err="[invalid bearer token, Token used before issued]"',
  ],
  [
    "clock-skew",
    "SignatureDoesNotMatch: Signature not yet current: 20260402T091510Z is still later than 20260402T081510Z",
  ],
  ["clock-skew", task('"evaluated_to": false, "msg": "The clocks of the nodes differ by more than 30 seconds"')],
  [
    "image-pull-failed",
    'failed commit on ref "layer-sha256:4f": unexpected commit digest sha256:5a, expected sha256:4f: failed precondition',
  ],
  ["image-pull-failed", "error pulling image configuration: image config verification failed for digest sha256:4f"],
  [
    "image-pull-failed",
    "Error response from daemon: error unmarshalling content: invalid character '<' looking for beginning of value",
  ],
  [
    "image-pull-failed",
    'FATA[0001] pulling image: failed to do request: Head "https://made-up.example/v2/a/manifests/1": tls: failed to verify certificate: x509: certificate is valid for other.example, not made-up.example',
  ],
  [
    "image-pull-auth",
    "Error: initializing source docker://made-up.example/a:1: reading manifest 1 in made-up.example/a: denied",
  ],
  ["image-pull-auth", "denied: Your authorization token has expired. Reauthenticate and try again."],
  ["image-pull-not-found", "Error response from daemon: unknown: repository team/a not found"],
  [
    "image-pull-rate-limited",
    'Error response from daemon: error parsing HTTP 429 response body: unexpected end of JSON input: ""',
  ],
  ["image-pull-timeout", "cancel pulling image made-up.example/a:1 because of no progress in 5m0s"],
  [
    "image-pull-timeout",
    "ERRO[0099] failed to copy: read tcp 10.61.0.4:50000->10.61.9.9:443: read: connection timed out",
  ],
  ["image-os-mismatch", "Error: choosing an image: no image found in image index for architecture arm64, OS linux"],
  ["apt-lock-held", "apt.cache.LockFailedException: Failed to lock /var/cache/apt/archives/lock"],
  [
    "apt-lock-held",
    "error: failed to init transaction (unable to lock database)",
    "error: could not lock database: File exists",
  ],
  ["apt-lock-held", "Error: Failed to obtain the transaction lock (logged in as: root)."],
  ["apt-repository-failed", "ERROR: https://apk.made-up.example/main: UNTRUSTED signature"],
  ["apt-repository-failed", 'error: made-up: signature from "A Packager <a@made-up.example>" is unknown trust'],
  [
    "apt-repository-failed",
    "E: The method driver /usr/lib/apt/methods/https could not be found.",
    "N: Is the package apt-transport-https installed?",
  ],
  [
    "package-not-found",
    "ERROR: unsatisfiable constraints:",
    "  conntrack (missing):",
    "    required by: world[conntrack]",
  ],
  ["package-not-found", "Error: Package: kubelet-1.33.7-0.x86_64 (made-up)", "           Requires: conntrack"],
  ["package-not-found", "ERROR: No matching distribution found for netaddr==99"],
  ["package-not-found", task('"msg": "nothing provides libcgroup needed by docker-ce-3:99.0.0-1.el9.x86_64", "rc": 1')],
  ["unsupported-os", "Error: Unable to detect the operating system. Known are Ubuntu and Debian."],
  ["unsupported-os", "install.sh: 12: apt-get: not found"],
  ["unsupported-os", "kubeadm: /lib64/libc.so.6: version `GLIBC_2.39' not found (required by kubeadm)"],
  ["unsupported-kubernetes-version", "Error: kubernetes version v1.19.9 is not supported, the first is v1.22.0"],
  ["unsupported-kubernetes-version", "talosctl: version of Kubernetes 1.39.0 is too new to be used with Talos 1.7.0"],
  [
    "unsupported-kubernetes-version",
    '- Specified version to upgrade to "v1.39.1" is too high; kubeadm can upgrade only 1 minor version at a time',
  ],
];

describe("named", () => {
  test.each(said)("gives %s for %s", (cause, ...lines) => {
    expect(named(...lines)).toBe(cause);
  });
});

/** The same words where it goes on well, or where they are about something else. */
const healthy: readonly (readonly string[])[] = [
  [
    apkFetch,
    "WARNING: fetching https://apk.made-up.example/v3.20/community: temporary error (try again later)",
    "(1/2) Installing conntrack-tools (1.4.8-r0)",
    "OK: 31 MiB in 44 packages",
  ],
  ["E0402 08:15:10.123456 900 log.go:245] http: proxy error: context canceled"],
  [
    "systemd-timesyncd[300]: Timed out waiting for reply from 10.61.0.7:123 (ntp.made-up.example).",
    "systemd-timesyncd[300]: Initial synchronization to time server 10.61.0.8:123 (ntp.made-up.example).",
  ],
  [
    "Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 811 (apt-get)... 21s",
  ],
  ["No match for argument: docker", "No packages marked for removal.", "Nothing to do."],
  [
    'FAILED - RETRYING: [n1]: Fetch | a file (4 retries left). Result was: {"changed": false, "msg": "Request failed: <urlopen error timed out>"}',
    "ok: [n1]",
  ],
  [
    "./detect.sh: line 3: zypper: command not found",
    "./detect.sh: line 4: dnf: command not found",
    "Setting up conntrack (1:1.4.6-2build2) ...",
  ],
  [
    "W0402 08:15:10.123456 3211 images.go:80] could not find officially supported version of etcd for Kubernetes v1.39.1, falling back to the nearest etcd version (3.5.4-0)",
  ],
  [
    'time="2026-04-02T08:15:10Z" level=info msg="trying next host" error="unexpected status: 429 Too Many Requests" host=made-up.example',
  ],
  [
    "chronyd[700]: System clock wrong by 2.002321 seconds",
    "chronyd[700]: System clock was stepped by 2.002321 seconds",
  ],
];

describe("named for what is no failure", () => {
  test.each(healthy)("names nothing for %s", (...lines) => {
    expect(["unclassified", "healthy"]).toContain(named(...lines));
  });
});

describe("named for an API server whose name is that of a proxy", () => {
  test.each(["haproxy.made-up.example", "proxy.made-up.example"])("says that %s does not answer", (host) => {
    expect(named(`curl: (7) Failed to connect to ${host} port 6443: Connection refused`)).toBe(
      "api-server-unreachable",
    );
  });
});

describe("named for a task that failed on one machine", () => {
  test("is not content that it went well on another", () => {
    const retried = (host: string): string => `FAILED - RETRYING: [${host}]: Fetch a file (2 retries left).`;
    const failed = task('"msg": "Request failed: <urlopen error timed out>", "url": "https://files.made-up.example/a"');
    expect(named(failed, retried("n2"), "changed: [n2]")).toBe("http-download-failed");
  });
});
