import { expect, test } from "@jest/globals";
import { showTail } from "../../../handler/check/output-tail.ts";
import { show, showBytes } from "../../../handler/text/shown-text.ts";
import { unescapeText } from "../../../handler/text/unescape-text.ts";
import { disguises, piecesOf } from "./disguises.ts";
import { generateSecrets } from "./generate-secrets.ts";

function leaks(shown: string, secret: string): boolean {
  // What a reader's own tools would make of it counts too.
  return piecesOf(secret).some((piece) => shown.includes(piece) || unescapeText(shown).includes(piece));
}

test.each(disguises.map(({ name, wear }) => [name, wear] as const))("no secret is seen through: %s", (_name, wear) => {
  const survivors = generateSecrets(20261122, 400).filter((planted) => leaks(show(wear(planted)), planted.secret));
  expect(
    survivors
      .slice(0, 6)
      .map((planted) => ({
        kind: planted.kind,
        secret: planted.secret,
        given: wear(planted),
        shown: show(wear(planted)),
      })),
  ).toEqual([]);
});
