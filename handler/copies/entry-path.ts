/** Longest name of a file or folder that every system keeps. */
const longestName = 200;
const mostLevels = 24;

/** Names that Windows keeps for devices, whatever follows the point. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/**
 * The parts of an archive entry's name as a place below the folder into which it is unpacked: no absolute path, no drive, no way
 * up, no letter that a system gives a meaning. Undefined for a name that leads out, or that names nothing.
 */
export function entryPath(name: string): readonly string[] | undefined {
  const parts = name
    .replace(/^[A-Za-z]:/u, "")
    .split(/[\\/]/u)
    .filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.length > mostLevels || parts.includes("..")) return undefined;
  return parts.map(plainName);
}

function plainName(part: string): string {
  const plain = part
    .replaceAll(/[\p{Cc}<>:"|?*]/gu, "_")
    .replace(/[. ]+$/u, "_")
    .slice(0, longestName);
  return deviceName.test(plain) ? `_${plain}` : plain;
}
