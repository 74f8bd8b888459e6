import { expect, test } from "@jest/globals";
import { keepFact, quotationOf, saidAlone, shortFrame } from "../../../handler/text/said.ts";
import { show } from "../../../handler/text/shown-text.ts";

test.each([
  ["Nov 28 20:11:00 node-a agent[12]: enrolment refused", "enrolment refused"],
  ['time="2026-11-28T20:11:00Z" level=fatal msg="no seat is left"', '"no seat is left"'],
  ["2026-11-28T20:11:00.123Z no seat is left", "no seat is left"],
  ["no seat is left", "no seat is left"],
])("saidAlone(%p) takes off what its log put in front", (line, said) => {
  expect(saidAlone(show(line))).toBe(said);
});

const chain = show(
  `Nov 28 20:11:00 node-a kubeadm[812]: error execution phase preflight: couldn't validate the identity of the API Server: Get "https://api.prod.internal:6443/api/v1/namespaces/kube-public": dial tcp 10.0.0.4:6443: i/o timeout`,
);

test.each([
  [230, chain],
  [70, "error execution phase preflight: … dial tcp 10.0.0.4:6443: i/o timeout"],
  [60, "error execution phase… dial tcp 10.0.0.4:6443: i/o timeout"],
  [40, "…dial tcp 10.0.0.4:6443: i/o timeout"],
])("keepFact() within %p characters takes the clothes first and the reason never", (room, kept) => {
  expect(keepFact(chain, room)).toBe(kept);
});

test("keepFact() of one long statement keeps both of its ends, and drops the advice behind it first", () => {
  const line = show(
    'failed to run Kubelet: cloud provider "azure" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external',
  );
  expect(keepFact(line, 110)).toBe(
    'failed to run Kubelet: cloud provider "azure" was specified, but built-in cloud providers are disabled',
  );
  expect(keepFact(line, 60)).toBe('…cloud provider "azure" was … providers are disabled');
});

test.each([
  ['no known cause; kubeadm says "it broke"', 'no known cause; kubeadm says "', "it broke", 'kubeadm says "'],
  [
    "cloud-init finished without the sentinel, and /var/log/cloud-init-output.log says: it broke",
    "cloud-init finished without the sentinel, and /var/log/cloud-init-output.log says: ",
    "it broke",
    "cloud-init-output.log says: ",
  ],
  [
    "deadline reached; A script failed; kubeadm said: it broke",
    "deadline reached; A script failed; kubeadm said: ",
    "it broke",
    "deadline reached; kubeadm said: ",
  ],
  ["The add-on fails: it broke", "The add-on fails: ", "it broke", "The add-on fails: "],
])("quotationOf(%p) finds what somebody said in it", (sentence, ...parts) => {
  const [frame, said, short] = parts;
  const quotation = quotationOf(show(sentence));
  expect(quotation).toMatchObject({ frame, said });
  if (quotation !== undefined) expect(shortFrame(quotation)).toBe(short);
});

test("quotationOf() finds nothing in a sentence that quotes nobody", () => {
  expect(quotationOf(show("api.prod.internal cannot be resolved (no such host)"))).toBeUndefined();
});
