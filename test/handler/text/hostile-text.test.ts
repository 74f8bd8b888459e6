import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { showTail } from "../../../handler/check/running/output-tail.ts";
import { show, showBytes } from "../../../handler/text/shown-text.ts";
import { disguises, isSeen, mayWear } from "./disguises.ts";
import { generateSecrets } from "./generate-secrets.ts";

const secrets = generateSecrets(20261122, 400);

test.each(disguises.map((disguise) => [disguise.name, disguise] as const))(
  "no secret is seen through: %s",
  (_name, disguise) => {
    const survivors = secrets
      .filter((planted) => mayWear(disguise, planted))
      .map((planted) => ({ ...planted, given: disguise.wear(planted), shown: show(disguise.wear(planted)) }))
      .filter(({ secret, shown }) => isSeen(secret, shown));
    expect(survivors.slice(0, 6)).toEqual([]);
  },
);

test("no secret is seen at the cut of an output's tail, wherever the cut and whatever the encoding", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...secrets),
      fc.constantFrom(...disguises),
      fc.constantFrom("utf8", "utf16le", "utf16be"),
      fc.nat({ max: 600 }),
      (...[planted, disguise, encoding, maxBytes]) => {
        // UTF-16 without a mark is told by its Latin letters; a short text of others is not.
        if (!mayWear(disguise, planted) || (encoding !== "utf8" && /[^\u0000-\u024f]/.test(planted.text))) return;
        const text = `begin of the output\n${disguise.wear(planted)}\nerror: it failed`;
        const bytes = Buffer.from(text, encoding === "utf8" ? "utf8" : "utf16le");
        if (encoding === "utf16be") bytes.swap16();
        expect(isSeen(planted.secret, showTail(bytes, { unread: 0, maxBytes }))).toBe(false);
        expect(isSeen(planted.secret, showBytes(bytes))).toBe(false);
      },
    ),
    { seed: 20261122, numRuns: 3000 },
  );
});
