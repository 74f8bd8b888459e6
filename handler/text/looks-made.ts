/** In an expression: a word that no sentence and no name has: digits, small and capital letters, or digits, letters and a sign. */
export const made = String.raw`(?=[^\s"'<]{0,128}\d)(?:(?=[^\s"'<]{0,128}[a-z])(?=[^\s"'<]{0,128}[A-Z])|(?=[^\s"'<]{0,128}[A-Za-z])(?=[^\s"'<]{0,128}[!#%*+@^~$]))[^\s"'<\\]{8,}`;

const mixed =
  /^(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])(?!\/(?:etc|var|opt|usr|run|home|root|tmp|mnt|proc|dev|sys)\b|[A-Za-z]:\\)[\w+/=~.!#%*@^$&?-]{8,}$/;
const signed = /^(?=\S*\d)(?=\S*[A-Z])(?=\S*[!#%*+@^$~&?])(?!\/)[\w+/=~.!#%*@^$&?-]{8,}$/i;
const digits =
  /^(?:[0-9a-f]{32,}|[0-9A-F]{32,}|(?=[a-z]*\d)[a-z0-9]{40,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

const longestMade = 600;
/** With what a value may have in front. */
export const longestRandom = longestMade + "base64:".length;

/** Whether a value looks as if a machine or a careful person had made it up: a password, a key, a random id. */
export function looksMade(value: string): boolean {
  return value.length <= longestMade && (mixed.test(value) || signed.test(value) || digits.test(value));
}

/** Whether a value is one of so many that it stands in a text for nothing else: digits, small and capital letters, no id in hexadecimal. */
export function looksUnique(value: string): boolean {
  return value.length >= 10 && value.length <= longestMade && (mixed.test(value) || signed.test(value));
}

/** The same for one word without the signs of names, paths and versions. */
export function looksRandom(value: string): boolean {
  if (value.length > longestRandom) return false;
  const bare = value.replace(/^base64:/, "");
  return oneWord.test(bare) && looksMade(bare);
}

const oneWord = /^(?:[A-Z0-9+/]{12,}={0,2}|[\w-]{24,}|(?=\S*[!#%*@^$&?~+=])[\w!#%*@^$&?~+.=-]{12,})$/i;
