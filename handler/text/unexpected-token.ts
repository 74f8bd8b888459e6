/**
 * Where in a text the token stands that Node did not expect, as a character from 0; undefined where the text fails otherwise. Node names no place
 * for it: the shortest beginning that holds it fails by it, every shorter one by its end.
 */
export function placeOfUnexpectedToken(json: string): number | undefined {
  if (!failsByToken(json)) return undefined;
  let [fine, wrong] = [0, json.length];
  while (fine + 1 < wrong) {
    const middle = Math.floor((fine + wrong) / 2);
    if (failsByToken(json.slice(0, middle))) wrong = middle;
    else fine = middle;
  }
  return fine;
}

function failsByToken(json: string): boolean {
  try {
    JSON.parse(json);
    return false;
  } catch (thrown) {
    return thrown instanceof Error && thrown.message.startsWith("Unexpected token");
  }
}
