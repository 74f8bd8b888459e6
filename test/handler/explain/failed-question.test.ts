import { describe, expect, test } from "@jest/globals";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";
import { rules } from "./expect-answer.ts";

async function answersOf(text: string): Promise<readonly Answer[]> {
  const explanation = await explain(text, rules);
  return explanation.kind === "explained" ? explanation.answers : [];
}

const unreached = "Unable to connect to the server: dial tcp: lookup mgmt.example.com on 127.0.0.53:53: no such host";
const tried = `E1121 09:14:02.402113   48213 memcache.go:265] "Unhandled Error" err="couldn't get current server API group list: Get \\"https://127.0.0.1:6443/api?timeout=32s\\": dial tcp 127.0.0.1:6443: connect: connection refused"`;
const pool = (host: string, cause: string): string =>
  `HTTPSConnectionPool(host='${host}', port=443): Max retries exceeded with url: /subscriptions (Caused by ${cause})`;
const unresolved = `<urllib3.connection.HTTPSConnection object at 0x7f31c2b0>: Failed to resolve 'management.azure.com' ([Errno -2] Name or service not known)`;
const proxy =
  "ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407 Proxy Authentication Required'))";

/** What kubectl, az and curl print of themselves, by what is told of it. */
const complaints: Readonly<Record<string, { readonly next: string; readonly texts: readonly string[] }>> = {
  "cluster-not-reached": {
    next: "kubectl config view --minify",
    texts: [
      unreached,
      "Unable to connect to the server: dial tcp 10.1.0.4:6443: i/o timeout",
      "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority",
      `${tried}\n${tried}\nThe connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?\n`,
      'error: the server doesn\'t have a resource type "azuremachine"',
      'error: context "mgmt" does not exist',
      "Error from server (ServiceUnavailable): the server is currently unable to handle the request",
    ],
  },
  "cluster-refused": {
    next: "kubectl auth whoami",
    texts: [
      'Error from server (Forbidden): azuremachines.infrastructure.cluster.x-k8s.io "workload-md-0-7xk2p" is forbidden: User "jo" cannot get resource "azuremachines" in API group "infrastructure.cluster.x-k8s.io" in the namespace "default"',
      "error: You must be logged in to the server (Unauthorized)",
    ],
  },
  "azure-not-reached": {
    next: "your own machine",
    texts: [
      `ERROR: ${pool("management.azure.com", `NameResolutionError("${unresolved}")`)}`,
      unresolved,
      `${pool("login.microsoftonline.com", proxy)}\n`,
      `WARNING: A new version is available.\nERROR: The command failed with an unexpected error. Here is the traceback:\nERROR: ${pool("management.azure.com", proxy)}\nTraceback (most recent call last):\n  File "connectionpool.py", line 787, in urlopen\nurllib3.exceptions.MaxRetryError: ${pool("management.azure.com", proxy)}\n`,
      "ERROR: the following arguments are required: --resource-group/-g, --name/-n",
      "curl: (6) Could not resolve host: management.azure.com",
    ],
  },
  "not-permitted": {
    next: "az login",
    texts: [
      "ERROR: Please run 'az login' to setup account.",
      "ERROR: AADSTS700082: The refresh token has expired due to inactivity. Trace ID: 1 Correlation ID: 2 Timestamp: 2026-11-21 09:14:02Z\nInteractive authentication is needed. Please run:\naz login --scope https://management.core.windows.net//.default",
      "AADSTS70043: The refresh token has expired or is invalid due to sign-in frequency checks by conditional access.",
    ],
  },
};

describe("explain says nothing of a node where the command before the pipe failed", () => {
  const all = Object.entries(complaints).flatMap(([situation, { next, texts }]) =>
    texts.map((text) => [text.slice(0, 60), { situation, next, text }] as const),
  );

  test.each(all)("%s", async (_, { situation, next, text }) => {
    const [answer, ...more] = await answersOf(text);
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ outcome: "unknown", situation });
    expect(answer).not.toHaveProperty("retryable");
    expect(answer?.nextStep).toContain(next);
  });
});

describe("explain reads a node's own log that holds such a line", () => {
  const ofNode: Readonly<Record<string, { readonly text: string; readonly reason: string }>> = {
    "among others": {
      text: `Cloud-init v. 25.1.4 running 'modules:final' at Sat, 21 Nov 2026 09:14:02 +0000. Up 31.20 seconds.\n${unreached}`,
      reason: "DnsResolutionFailed",
    },
    "behind a time": { text: `[2026-11-21 09:14:05] ${unreached}`, reason: "DnsResolutionFailed" },
    "of another host": { text: "curl: (6) Could not resolve host: files.prod.internal", reason: "DnsResolutionFailed" },
  };

  test.each(Object.entries(ofNode))("%s", async (_, { text, reason }) => {
    expect(await answersOf(text)).toEqual([expect.objectContaining({ outcome: "failed", reason })]);
  });
});
