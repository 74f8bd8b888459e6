import type { ShownText } from "../text/shown-text.ts";

declare const brand: unique symbol;

/** The bytes of a bundle whose files are all shown text: what the upload may send. */
export type ShownBytes = Uint8Array & { readonly [brand]: "shown" };

export interface BundleFile {
  readonly name: ShownText;
  readonly content: ShownText;
}

/** A zip of the files in this order, the newest end of each as far as `limitBytes` (before compression) goes. */
export async function packShown(files: readonly BundleFile[], limitBytes: number): Promise<ShownBytes> {
  const { default: AdmZip } = await import("adm-zip");
  const zip = new AdmZip();
  let left = limitBytes;
  for (const { name, content } of files) {
    const bytes = Buffer.from(content, "utf8");
    const part = bytes.subarray(Math.max(0, bytes.length - left));
    left -= part.length;
    if (part.length > 0) zip.addFile(name, part, "", 0o600);
  }
  return zip.toBuffer() as Uint8Array as ShownBytes;
}
