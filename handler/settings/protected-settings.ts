import { HandlerError } from "../errors/handler-error.ts";
import type { RunProcess } from "../host.ts";
import type { Platform } from "../platform/platform.ts";
import { decodeText } from "../text/decode-text.ts";
import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";

export interface OpenProtectedSettings {
  readonly file: { readonly protectedText?: string; readonly thumbprint?: string };
  readonly configFolder: string;
  readonly platform: Pick<Platform, "decrypt">;
  readonly run: RunProcess;
}

/**
 * Decrypts the protected settings; undefined when there are none. The plain text only ever stands in memory and no message
 * quotes it. Throws HandlerError protectedSettingsUndecryptable.
 */
export async function openProtectedSettings(request: OpenProtectedSettings): Promise<JsonObject | undefined> {
  const { protectedText, thumbprint } = request.file;
  if (protectedText === undefined) return undefined;
  if (thumbprint === undefined) {
    throw undecryptable("the settings file names no certificate (protectedSettingsCertThumbprint is empty)");
  }
  const envelope = decodeEnvelope(protectedText);
  const { platform, configFolder, run } = request;
  const plain = await platform.decrypt({ envelope, thumbprint, configFolder }, run);
  try {
    return readPlain(plain);
  } finally {
    plain.fill(0);
  }
}

function decodeEnvelope(text: string): Buffer {
  const base64 = text.replaceAll(/\s+/g, "");
  const complete = /^[a-z0-9+/]+={0,2}$/i.test(base64) && base64.length % 4 === 0;
  if (!complete) throw undecryptable(`protectedSettings is no base64 text (${base64.length} characters)`);
  return Buffer.from(base64, "base64");
}

function readPlain(plain: Buffer): JsonObject {
  const json = parseJson(decodeText(plain));
  // A wrong key sometimes "succeeds" with random bytes, because the padding fits by chance.
  if (json.kind === "malformed") throw undecryptable(`the decrypted text cannot be used: ${json.reason}`);
  if (!isJsonObject(json.value)) throw undecryptable("the decrypted text is not a JSON object");
  return json.value;
}

function undecryptable(why: string): HandlerError {
  return new HandlerError("protectedSettingsUndecryptable", `The protected settings cannot be decrypted: ${why}`);
}
