import { expect, test } from "@jest/globals";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import type { ErrorLine } from "../../../handler/diagnosis/error-lines.ts";
import { noRules } from "../../support/no-rules.ts";

function errorsOf(...chunks: readonly string[]): readonly ErrorLine[] {
  const matcher = createMatcher(noRules, { platform: "linux" });
  for (const chunk of chunks) matcher.feed({ source: "system", origin: "a.log" }, Buffer.from(chunk));
  return matcher.finish().errorLines;
}

const end = "2026-04-02 08:15:00,118 - subp.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/runcmd [1]\n";

test("the last words of a command are kept before its end, whatever their form", () => {
  const errors = errorsOf(`a quiet line\nsay which of the two sockets it shall be\n${end}`);
  expect(errors.map(({ line, text }) => `${line}: ${text}`)).toContain("2: say which of the two sockets it shall be");
});

test.each(["", "[2026-11-21 09:15:10] ", "Nov 21 09:15:10 node-1 cloud-init[912]: "])(
  "what stands above kubeadm's advice behind %j is what it said last",
  (prefix) => {
    const advice = `${prefix}To see the stack trace of this error execute with --v=5 or higher\n`;
    expect(errorsOf(`a quiet line\nthe moon is in the way\n${advice}`).map(({ text }) => text)).toEqual([
      "the moon is in the way",
    ]);
  },
);

test("what cloud-init announces of its stages is not what the command said last", () => {
  const banner = "Cloud-init v. 24.1 running 'modules:final' at Thu, 02 Apr 2026 08:14:00 +0000. Up 40.1 seconds.\n";
  const errors = errorsOf(`a quiet line\nsay which of the two sockets it shall be\n${banner}${end}`);
  expect(errors.map(({ line, text }) => `${line}: ${text}`)).toContain("2: say which of the two sockets it shall be");
});

test("a line that lies in an earlier chunk is not made up from the rest of it", () => {
  const errors = errorsOf("say which of the two sock", `ets it shall be\n`, end);
  expect(errors.map(({ text }) => text)).toEqual([expect.stringContaining("Failed running")]);
});

test("what stands before any other line is nobody's last words", () => {
  const errors = errorsOf("a quiet line\nE0402 08:15:00.120044 1 made_up.go:1] it failed\n");
  expect(errors).toHaveLength(1);
});

test("the pieces of lines that a screen broke are forgotten, also those that stand in two of them", () => {
  const record = (second: number): string =>
    `Apr 02 08:15:0${second} node-1 made-up[12]: ${"words ".repeat(14)}cannot do it: connection refused`;
  const broken = [1, 2, 3].flatMap((second) => record(second).match(/.{1,80}/gu) ?? []).join("\n");
  const texts = errorsOf(`${broken}\n`).map(({ text }) => text);
  expect(texts).toEqual([expect.stringMatching(/^Apr 02 .*connection refused$/u)]);
});

test("what Ansible failed at and ignored is forgotten", () => {
  const failed = 'fatal: [node-1]: FAILED! => {"msg": "made-up module failed"}\n';
  expect(errorsOf(failed)).toHaveLength(1);
  expect(errorsOf(`${failed}...ignoring\n`)).toEqual([]);
  expect(errorsOf(`${failed}TASK [made up] ***\n...ignoring\n`)).not.toEqual([]);
});
