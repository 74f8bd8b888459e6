import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../handler/diagnosis/match.ts";
import { rankFindings } from "../../handler/diagnosis/rank.ts";
import { rulesFile } from "../../scripts/dev/build-rules.ts";

/** What containerd 1.6.20, 1.7.24 and 2.1.9 wrote when they were started with such files. */
test.each([
  [
    "1.6, an open bracket",
    "failed to load TOML: /etc/containerd/config.toml: (2, 2): unexpected token unclosed table key",
  ],
  ["1.6, a wrong version", "failed to load TOML from /etc/containerd/config.toml: unsupported config version `9`"],
  [
    "1.7, an old name",
    'failed to load TOML from /etc/containerd/config.toml: invalid disabled plugin URI "cri" expect io.containerd.x.vx',
  ],
  ["1.7, a number in place of a text", "(4, 5): Can't convert 5(int64) to string"],
  ["2.1, an open bracket", "failed to unmarshal TOML at row 2 column 37: toml: expected ']' to close table name"],
  ["2.1, a number in place of a text", "toml: cannot decode TOML integer into string"],
  [
    "2.1, a wrong version",
    "failed to load TOML from /etc/containerd/config.toml: expected containerd config version equal to or less than `3`, got `9`",
  ],
])("containerd %s: the runtime does not run, for its configuration", (_case, words) => {
  const matcher = createMatcher(loadRules(readFileSync(rulesFile, "utf8")), { platform: "linux" });
  const log = [
    "Apr 02 08:15:14 worker-1 systemd[1]: Starting containerd.service - containerd container runtime...",
    `Apr 02 08:15:15 worker-1 containerd[1204]: containerd: ${words}`,
    "Apr 02 08:15:15 worker-1 systemd[1]: containerd.service: Main process exited, code=exited, status=1/FAILURE",
    "",
  ].join("\n");
  matcher.feed({ source: "runtime", also: [], origin: "containerd" }, Buffer.from(log));
  const diagnosis = rankFindings(matcher.finish());
  expect(diagnosis.kind === "classified" ? diagnosis.primary.ruleId : diagnosis.kind).toBe("containerd-config-invalid");
});

test("beside kubeadm's words that the runtime does not answer, the reason why it does not is told first", () => {
  const matcher = createMatcher(loadRules(readFileSync(rulesFile, "utf8")), { platform: "linux" });
  const output = `\t[ERROR CRI]: could not connect to the container runtime: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/run/containerd/containerd.sock: connect: no such file or directory"\n`;
  const journal = [
    "Apr 02 08:15:14 worker-1 (modprobe)[121]: containerd.service: Unable to locate executable '/sbin/modprobe': No such file or directory",
    "Apr 02 08:15:15 worker-1 containerd[1204]: containerd: failed to unmarshal TOML at row 2 column 37: toml: expected ']' to close table name",
    "Apr 02 08:15:15 worker-1 systemd[1]: Failed to start containerd.service - containerd container runtime.",
    "",
  ].join("\n");
  matcher.feed({ source: "cloud-init-output", also: [], origin: "cloud-init-output.log" }, Buffer.from(output));
  matcher.feed({ source: "runtime", also: [], origin: "journalctl -u containerd" }, Buffer.from(journal));
  const diagnosis = rankFindings(matcher.finish());
  const { primary, others } = diagnosis.kind === "classified" ? diagnosis : { primary: undefined, others: [] };
  expect(primary?.ruleId).toBe("containerd-config-invalid");
  expect(others.find(({ ruleId }) => ruleId === "cri-socket-missing")?.role).toBe("symptom");
  expect(others.map(({ cause }) => cause)).not.toContain("kernel-unsupported");
});
