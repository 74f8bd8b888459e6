import { describe, expect, test } from "@jest/globals";
import { createBook } from "../../../cluster/controller/book.ts";
import { joinMarks } from "../../../cluster/healing/healing-machine.ts";
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
  test("keeps a mark withdrawn when an older event of the object comes, and takes a newer one of another controller", () => {
    const book = createBook();
    book.remember(stored());
    const entry = book.get("m-1");
    expect(entry?.mark).toEqual(record.mark);
    if (entry?.mark === undefined) throw new Error("no mark");
    // Withdrawn in this process; the watch still brings the object from before.
    entry.mark = { ...entry.mark, withdrawn: at(20) };
    book.remember(stored());
    expect(book.get("m-1")?.mark).toEqual({ ...record.mark, withdrawn: at(20) });
    const theirs = { at: at(30), reason: "DiskFull" };
    book.remember(stored({ mark: theirs }));
    book.remember(stored());
    expect(book.get("m-1")?.mark).toEqual(theirs);
  });

  test("joins two memories of a mark to the same, whichever comes first", () => {
    const old = { at: at(1), reason: "A" };
    const gone = { ...old, withdrawn: at(2) };
    const newer = { at: at(3), reason: "B" };
    const goneLater = { ...old, withdrawn: at(4) };
    const others = [
      { ...old, reason: "C" },
      { ...gone, reason: "C" },
    ];
    const all = [undefined, old, gone, goneLater, newer, ...others];
    for (const a of all) for (const b of all) expect(joinMarks(a, b)).toEqual(joinMarks(b, a));
    expect([joinMarks(old, gone), joinMarks(gone, newer)]).toEqual([gone, newer]);
    expect(joinMarks(gone, goneLater)).toEqual(gone);
  });

  test("knows a Machine gone since the first of two controllers saw it, so that they do not write against each other", () => {
    for (const [mine, theirs] of [
      [at(20), at(30)],
      [at(30), at(20)],
    ]) {
      const book = createBook();
      book.remember(stored());
      const entry = book.get("m-1");
      if (entry === undefined) throw new Error("no entry");
      entry.machineGone = mine;
      book.remember(stored({ machineGone: theirs ?? "" }));
      book.remember(stored());
      expect(book.get("m-1")?.machineGone).toBe(at(20));
    }
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
