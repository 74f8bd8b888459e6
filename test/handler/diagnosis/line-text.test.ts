import { expect, test } from "@jest/globals";
import { shorten } from "../../../handler/diagnosis/line-text.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { linesShown } from "../../../handler/diagnosis/render.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { show } from "../../../handler/text/shown-text.ts";
import { rules } from "./named-cause.ts";

const filler = (count: number): string => "made up ".repeat(count);

function shownFor(line: string): readonly string[] {
  const matcher = createMatcher(rules, { platform: "linux" });
  matcher.feed({ source: "kubeadm", origin: "a.log" }, Buffer.from(`${line}\n`));
  return linesShown(rankFindings(matcher.finish())).map(({ text }) => text);
}

test("a line that is long keeps its beginning and its end, where the innermost error stands", () => {
  const text = shorten(show(`begin ${filler(200)}connection refused`));
  expect(text.startsWith("begin ")).toBe(true);
  expect(text.endsWith("connection refused")).toBe(true);
  expect(text.length).toBeLessThan(620);
});

test.each([10, 100, 190])("what matters is in what is left of it, %i words from its beginning", (words) => {
  const text = show(`begin ${filler(words)}exit status=31 ${filler(200 - words)}end`);
  const short = shorten(text, text.indexOf("exit status=31"));
  expect(short).toContain("exit status=31");
  expect(short).toMatch(/^begin /u);
  expect(short.length).toBeLessThan(620);
});

test("a line that is short enough stays as it is", () => {
  expect(shorten(show("made up"), 5)).toBe("made up");
});

test("what matters is kept with what stands behind it", () => {
  const text = show(`begin ${filler(100)}the decisive words ${filler(100)}end`);
  const short = shorten(text, text.indexOf("the decisive words"));
  expect(short).toContain("the decisive words");
  expect(short.length).toBeLessThan(620);
});

test("a long line of a rule is kept round what the rule found, not round a later word that says the same", () => {
  const error =
    '[ERROR KubeletVersion]: the kubelet version is higher than the control plane version. This is not a supported version skew and may lead to a malfunctional cluster. Kubelet version: "1.31.2" Control plane version: "1.30.6"';
  const task = {
    cmd: `kubeadm join ${filler(30)}`,
    stderr: `${filler(20)}${error}\n${filler(40)}`,
    stdout: `[init] Using Kubernetes version: v1.30.6\n${filler(10)}`,
  };
  const [line] = shownFor(`fatal: [made-up]: FAILED! => ${JSON.stringify(task)}`);
  expect(line).toContain("the kubelet version is higher than the control plane version");
});

test("of a statement that is longer than what is kept, what it ends with is kept too", () => {
  const error = `failed to pull image "${filler(70)}": x509: certificate signed by unknown authority`;
  const text = show(`begin ${filler(40)}"stderr": "${error}", "stdout": "${filler(40)}"`);
  const short = shorten(text, text.indexOf("failed to pull"));
  expect(short).toContain("failed to pull image");
  expect(short).toContain("x509: certificate signed by unknown authority");
  expect(short.length).toBeLessThan(620);
});
