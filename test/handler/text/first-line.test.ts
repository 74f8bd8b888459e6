import { expect, test } from "@jest/globals";
import { cutAtWord } from "../../../handler/text/cut-text.ts";
import { firstLine } from "../../../handler/text/first-line.ts";
import { show } from "../../../handler/text/shown-text.ts";

const head = show("Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s");

test("firstLine() says verdict, cause, evidence and next step in one sentence each", () => {
  expect(
    firstLine({
      head,
      summary: show("api.example cannot be resolved by 10.0.0.10."),
      nextStep: show("Check the DNS zone"),
    }),
  ).toBe(`${head}: api.example cannot be resolved by 10.0.0.10. Next: Check the DNS zone.`);
});

test("firstLine() stays within 200 characters and keeps the cause before the next step", () => {
  const summary = show("the name apiserver.prod-7.capz.internal cannot be resolved by 10.0.0.10: no such host");
  const line = firstLine({
    head,
    summary,
    nextStep: show("Check the private DNS zone's link to the virtual network. ".repeat(5)),
  });
  expect(line.length).toBeLessThanOrEqual(200);
  expect(line).toContain("apiserver.prod-7.capz.internal");
  expect(line).toMatch(/Next: Check .*…$/u);
});

test("firstLine() puts a message of several lines on one", () => {
  expect(firstLine({ head, summary: show("one\ntwo\r\n  three"), nextStep: show("go") })).toContain(
    ": one two three. Next: go.",
  );
});

test("cutAtWord() marks the cut and never splits a surrogate pair", () => {
  expect(cutAtWord("one two three four", 12)).toBe("one two…");
  expect(cutAtWord("gets no answer from /run/containerd/containerd.sock at all", 46)).toBe(
    "gets no answer from /run/containerd/container…",
  );
  expect(cutAtWord("😀".repeat(50), 11).isWellFormed()).toBe(true);
});

const shortHead = show("Bootstrap failed (X)");

test("firstLine() uses all of its 200 characters before anything is cut", () => {
  const rest = "Bootstrap failed (X): . Next: go.".length;
  const whole = firstLine({ head: shortHead, summary: show("ß".repeat(200 - rest)), nextStep: show("go") });
  expect(whole).toHaveLength(200);
  expect(whole).toMatch(/ß\. Next: go\.$/u);
  const cut = firstLine({ head: shortHead, summary: show("ß".repeat(201 - rest)), nextStep: show("go") });
  expect(cut).toHaveLength(199);
  expect(cut).toMatch(/ß… Next: go\.$/u);
});

test.each([
  ["Correct the DNS zone: the record of the API server is not there", "Correct the DNS zone."],
  ["Correct the DNS zone, or give the node another server of names", "Correct the DNS zone."],
  ["Correct the DNS zone (its link to the virtual network is missing)", "Correct the DNS zone."],
  ["Look here: the rest of this sentence is much too long for the line", "Look here: the rest of this sentence…"],
  ["Free ports 12:30 and others of the control plane of this cluster now", "Free ports 12:30 and others of the…"],
])("a next step that is too long gives up what explains it before its own words: %s", (nextStep, short) => {
  const line = firstLine({ head: shortHead, summary: show("w ".repeat(65).trim()), nextStep: show(nextStep) });
  expect(line.length).toBeLessThanOrEqual(200);
  expect(line.slice(line.indexOf("Next: ") + 6)).toBe(short);
});

test("a summary that must stay leaves the next step out where there is no room for it", () => {
  const summary = show("w ".repeat(85).trim());
  expect(firstLine({ head: shortHead, summary, nextStep: show("Go on with this"), keepSummary: true })).toBe(
    `Bootstrap failed (X): ${summary}.`,
  );
  const short = show("w ".repeat(60).trim());
  const line = firstLine({
    head: shortHead,
    summary: short,
    nextStep: show("n ".repeat(60).trim()),
    keepSummary: true,
  });
  expect(line).toContain(`${short}. Next: n n`);
});

test("a summary without room for it is cut, not the next step's first forty characters", () => {
  const line = firstLine({ head: shortHead, summary: show("ß".repeat(300)), nextStep: show("ö".repeat(300)) });
  expect(line).toBe(`Bootstrap failed (X): ${"ß".repeat(128)}… Next: ${"ö".repeat(39)}…`);
});

test("firstLine() keeps what a wait was for before what was said last", () => {
  const late = show("Bootstrap failed (DeadlineExceeded) in kubeadm join after 30 s");
  const said = "probe dns: the name asked for has no route, 168.63.129.16 did not answer the question";
  const nextStep = show("Read the quoted lines below, from probes");
  const waited = show(`still running: kubeadm (25 s), containerd (31 s); last error: "${said}"`);
  const line = firstLine({ head: late, summary: waited, nextStep });
  expect(line).toContain("still running: kubeadm (25 s), containerd (31 s)");
  expect(line.length).toBeLessThanOrEqual(200);
  const other = show(`nothing that bootstraps was running, nor had been; last error: "${said}"`);
  expect(firstLine({ head: late, summary: other, nextStep })).toContain("did not answer the question");
});
