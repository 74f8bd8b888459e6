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
  expect(cutAtWord("😀".repeat(50), 11).isWellFormed()).toBe(true);
});
