const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/**
 * FNV-1a of 64 bits as sixteen hexadecimal digits: keeps apart names that were cut or made readable. Nobody hostile chooses
 * these names; a cryptographic digest would cost `enable` a tenth of its time for loading node:crypto.
 */
export function nameDigest(name: string): string {
  let hash = offsetBasis;
  for (const byte of Buffer.from(name)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, "0");
}
