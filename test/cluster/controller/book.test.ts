import { describe, expect, test } from "@jest/globals";
import { createBook } from "../../../cluster/controller/book.ts";
import type { VerdictRecord } from "../../../cluster/verdict/verdict-object.ts";
import { account, at } from "../support/accounts.ts";

const record: VerdictRecord = {
  cluster: "c1",
  machine: { name: "a", uid: "m-1" },
  owner: { kind: "MachineDeployment", name: "md-0" },
  verdict: account({ heard: at(0), seen: at(10) }),
  firstSeen: at(0),
  lastSeen: at(10),
  mark: { at: at(5), reason: "DnsResolutionFailed" },
};
const stored = (fields: Partial<VerdictRecord> = {}) => ({
  place: { namespace: "default", name: "a-12345678" },
  uid: "object-1",
  record: { ...record, ...fields },
});

describe("the book", () => {
  test("takes a mark from the object at the start, and leads it from then on itself", () => {
    const book = createBook();
    book.remember(stored());
    const entry = book.get("m-1");
    expect(entry?.mark).toEqual(record.mark);
    if (entry?.mark === undefined) throw new Error("no mark");
    // Withdrawn in this process; the watch still brings the object from before.
    entry.mark = { ...entry.mark, withdrawn: at(20) };
    book.remember(stored());
    expect(book.get("m-1")?.mark).toEqual({ ...record.mark, withdrawn: at(20) });
  });

  test("brings no mark and no note of a gone Machine back by an older event of the object", () => {
    const book = createBook();
    book.remember(stored({ machineGone: at(30) }));
    const entry = book.get("m-1");
    if (entry === undefined) throw new Error("not remembered");
    entry.mark = undefined;
    entry.machineGone = undefined;
    book.remember(stored({ machineGone: at(30) }));
    expect([entry.mark, entry.machineGone]).toEqual([undefined, undefined]);
  });

  test("keeps what it has learned when an older object comes, and since when it has known of it", () => {
    const book = createBook();
    const good = account({ outcome: "bootstrapped", reason: "Bootstrapped" });
    book.hear("m-1", good, { now: at(60), monotonicMs: 0 });
    book.remember(stored());
    expect(book.get("m-1")?.state?.verdict).toMatchObject({ outcome: "bootstrapped", heard: at(60) });
    expect(book.get("m-1")?.state?.firstSeen).toBe(at(0));
  });

  test("takes more evidence for the same failure for news, and the same answer once more for none", () => {
    const book = createBook();
    const hear = (seconds: number, fields: object = {}) =>
      book.hear("m-1", account(fields), { now: at(seconds), monotonicMs: 0 });
    expect([hear(1), hear(2), hear(3, { evidence: [{ origin: "x", text: "y" }] })]).toEqual([true, false, true]);
  });
});
