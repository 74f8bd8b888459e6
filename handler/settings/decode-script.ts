import { systemErrorCode } from "../errors/handler-error.ts";
import { scriptEncodedLimit, scriptInflatedLimitBytes } from "./schema.ts";

export type DecodedScript =
  | { readonly kind: "decoded"; readonly bytes: Buffer; readonly compressed: boolean }
  | { readonly kind: "refused"; readonly reason: string };

/** Decodes the setting `script`: base64, then gzip if the bytes begin as a gzip file does. */
export function decodeScript(encoded: string): DecodedScript {
  if (encoded.length > scriptEncodedLimit) {
    return refused(`it has ${encoded.length} characters, at most ${scriptEncodedLimit} are allowed`);
  }
  const base64 = encoded.replaceAll(/\s+/g, "");
  if (!/^[a-z0-9+/]+={0,2}$/i.test(base64)) return refused("it is not base64");
  // A length that is no multiple of four is a text that was cut off; half a script must not run.
  if (base64.length % 4 !== 0) return refused("it is incomplete base64 (was it cut off?)");
  const bytes = Buffer.from(base64, "base64");
  const compressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return compressed ? inflate(bytes) : { kind: "decoded", bytes, compressed };
}

function inflate(bytes: Buffer): DecodedScript {
  try {
    // Loaded only for a script that is compressed.
    const { gunzipSync } = process.getBuiltinModule("node:zlib");
    const inflated = gunzipSync(bytes, { maxOutputLength: scriptInflatedLimitBytes });
    if (inflated.length === 0) return refused("its gzip content is empty");
    return { kind: "decoded", bytes: inflated, compressed: true };
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ERR_BUFFER_TOO_LARGE") {
      return refused(`its gzip content is larger than ${scriptInflatedLimitBytes} bytes`);
    }
    return refused("its gzip content is damaged");
  }
}

function refused(reason: string): DecodedScript {
  return { kind: "refused", reason };
}
