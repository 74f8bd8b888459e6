import { expect, test } from "@jest/globals";
import { causeOf, quiet } from "./cause-of.ts";

test("an excerpt that speaks of one cause over and over names it, one that says it once does not", () => {
  const reset =
    "E0402 08:15:00.120044 12 made_up.go:134] Failed to list *v1.MadeUp: Get https://127.0.0.1:6443/apis/made-up: read tcp 127.0.0.1:40112->127.0.0.1:6443: read: connection reset by peer";
  expect(causeOf(reset, reset.replace("MadeUp", "Other"), ...quiet(6))).toBe("api-server-unreachable");
  expect(causeOf(reset, ...quiet(7))).toBe("unclassified");
});

test("an excerpt that speaks of two causes names neither", () => {
  const reset = "made_up.go:134: Failed to list *v1.MadeUp: Get https://127.0.0.1:6443/apis: connection reset by peer";
  const full = "made_up.go:134: Failed to write the made-up file: x509: certificate signed by unknown authority";
  expect(causeOf(reset, full, ...quiet(8))).toBe("unclassified");
});

test("what a daemon warned of behind its end belongs to its next start", () => {
  const warned =
    'time="2026-04-02T08:15:02Z" level=warning msg="made-up datastore file /var/lib/k0s/db/state.db does not exist"';
  const end = 'time="2026-04-02T08:15:01Z" level=warning msg="made-up component ended: exit status 1" component=x';
  expect(causeOf(...quiet(3), end, warned, ...quiet(9))).toBe("unclassified");
});

test("a wait that no waiting cures is an end, any other is not", () => {
  const waits = (why: string): string =>
    `time="2026-04-02T08:15:02Z" level=info msg="Waiting to retrieve agent configuration; server is not ready: ${why}"`;
  const overlay = 'the made-up \\"overlayfs\\" snapshotter: permission denied';
  expect(causeOf(waits(overlay), ...quiet(20))).toBe("host-environment-restricted");
  const refused = 'Get \\"https://127.0.0.1:6444/cacerts\\": connection refused';
  expect(causeOf(waits(refused), ...quiet(20))).toBe("unclassified");
});

test("apt's last word is its end", () => {
  const locked = "dpkg: made-up error: the database is locked by another process";
  expect(causeOf(...quiet(3), locked, "E: Made-up sub-process returned an error code (2)", ...quiet(9))).toBe(
    "apt-lock-held",
  );
  expect(causeOf(...quiet(3), locked, ...quiet(20))).toBe("unclassified");
});
