/** Bytes in UTF-8 of the longest name of a file or folder that every system keeps. */
const longestName = 200;
const mostLevels = 24;
/** Bytes of all the names together: with the folder above them, below what Linux takes for a path (4,096). */
const longestPath = 3000;

/** Names that Windows keeps for devices, whatever follows the point. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/**
 * The parts of an archive entry's name as a place below the folder into which it is unpacked: no absolute path, no drive, no way
 * up, no letter that a system gives a meaning. Undefined for a name that leads out, that names nothing, or that is too long.
 */
export function entryPath(name: string): readonly string[] | undefined {
  const parts = name
    .replace(/^[A-Za-z]:/u, "")
    .split(/[\\/]/u)
    .filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.length > mostLevels || parts.includes("..")) return undefined;
  const plain = parts.map(plainName);
  return Buffer.byteLength(plain.join("/")) > longestPath ? undefined : plain;
}

function plainName(part: string): string {
  const plain = shortened(part.replaceAll(/[\p{Cc}<>:"|?*]/gu, "_"));
  // Windows drops these at a name's end.
  const whole = plain.endsWith(".") || plain.endsWith(" ") ? `${plain}_` : plain;
  return deviceName.test(whole) ? `_${whole}` : whole;
}

/** Its beginning, up to a whole character. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= longestName) return name;
  return new TextDecoder().decode(bytes.subarray(0, longestName), { stream: true });
}
