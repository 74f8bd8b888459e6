import type { RunProcess } from "../process-port.ts";
import { consolePages, namedPages } from "./code-pages.ts";
import { queryRegistry } from "./registry-windows.ts";

/** The code page in which programs without a choice of their own print (GetOEMCP): of the system, not of a person. */
const value = { key: "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage", name: "OEMCP" } as const;

/** What programs of this Windows print, as UTF-8. Asks the registry once, and only for output that is neither UTF-8 nor UTF-16. */
export function createCodePage(reg: string): (bytes: Uint8Array, run: RunProcess) => Promise<Uint8Array> {
  let asked: Promise<string | undefined> | undefined;
  return async (bytes, run) => {
    if (!isOfCodePage(bytes)) return bytes;
    asked ??= queryRegistry(reg, value, run);
    return fromCodePage(bytes, Number(await asked));
  };
}

/** The bytes as they are where the page is not known. */
export function fromCodePage(bytes: Uint8Array, page: number): Uint8Array {
  const upper = consolePages[page];
  if (upper !== undefined) {
    const letters = Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upper.charAt(byte - 0x80)));
    return Buffer.from(letters.join(""), "utf8");
  }
  const name = namedPages[page];
  return name === undefined ? bytes : Buffer.from(new TextDecoder(name).decode(bytes), "utf8");
}

/**
 * UTF-16 holds zero bytes, or begins with its mark. In UTF-8 most of what is not ASCII is well formed; a cut may leave half a character
 * at either end, and a program one that is broken.
 */
function isOfCodePage(bytes: Uint8Array): boolean {
  if (bytes.every((byte) => byte < 0x80) || bytes.includes(0)) return false;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return false;
  const wide = Array.from(new TextDecoder("utf-8").decode(bytes)).filter((letter) => letter > "\u007f");
  const broken = wide.filter((letter) => letter === "\uFFFD").length;
  return broken * 2 > wide.length;
}
