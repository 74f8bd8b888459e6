import { expect, test } from "@jest/globals";
import { decisiveLines, errorWeight, type ErrorLine } from "../../../handler/diagnosis/error-lines.ts";
import { show } from "../../../handler/text/shown-text.ts";

const line = (text: string, parts: Partial<ErrorLine> = {}): ErrorLine => ({
  source: "guest-agent",
  origin: "/var/log/waagent.log",
  originIndex: 3,
  line: 1,
  fileLine: 1,
  text: show(text),
  whole: show(text),
  firstLine: 1,
  count: 1,
  logLines: 10,
  booted: 0,
  lastStart: 0,
  weight: 1,
  ...parts,
});

test.each([
  "2026-11-14T06:03:22.470192Z INFO ExtHandler ExtHandler [GetWireserverEndpoint] Missing file /var/lib/waagent/WireServerEndpoint: No such file or directory",
  "2026-11-14T06:03:21.110192Z INFO Daemon Daemon Distro: debian-12; OSUtil: DebianOSModernUtil; AgentService: walinuxagent; LISDrivers: Failed to find",
])("what a healthy guest agent writes is no error: %s", (text) => {
  expect(errorWeight(text)).toBeUndefined();
});

test("an error of the guest agent is one", () => {
  expect(errorWeight("ERROR ExtHandler Event: name=x, op=Enable, message=failed")).toBe(2);
});

test("decisiveLines() quotes a line that the journal repeats only once", () => {
  const text = "ERROR ExtHandler Download failed, switching to host plugin";
  const lines = [
    line(`2026-11-14T06:03:22.470192Z ${text}`),
    line(text, { origin: "journalctl -u walinuxagent", originIndex: 4 }),
  ];
  expect(decisiveLines(lines, 5)).toHaveLength(1);
});

test("decisiveLines() prefers what the command itself said to a later log of the machine", () => {
  const own = line("tar: /opt/x: Cannot open: Permission denied", {
    source: "command-output",
    origin: "stderr of the check",
    originIndex: 0,
  });
  const others = Array.from({ length: 6 }, (_, index) => line(`error ${String.fromCharCode(97 + index)}`));
  expect(decisiveLines([own, ...others], 5)).toContainEqual(expect.objectContaining({ origin: "stderr of the check" }));
});
