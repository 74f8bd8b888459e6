/**
 * Sixteen hexadecimal digits for the name of a temporary file in a folder of our own, opened so that an existing one is
 * refused. Not for secrets: node:crypto is, but loading it would cost `enable` a tenth of its time.
 */
export function uniqueHex(): string {
  return eightDigits() + eightDigits();
}

function eightDigits(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
