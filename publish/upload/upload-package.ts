import type { BlockBlobClient, ContainerClient } from "@azure/storage-blob";
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { readGivenFile } from "../given-file.ts";
import { sha256 } from "../digest.ts";
import { withoutQuery } from "../mask.ts";
import { PublishError } from "../publish-error.ts";
import { explainStorageError, statusOf } from "./storage-error.ts";

const blockBytes = 4 * 1024 * 1024;
const parallelBlocks = 4;

export interface UploadResult {
  readonly kind: "uploaded" | "already-there";
  /** Address without a signature. */
  readonly url: string;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Blocks that an interrupted upload had left and that were not sent again. */
  readonly resumedBlocks: number;
}

export interface UploadProgress {
  readonly sentBlocks: number;
  readonly blocks: number;
}

/** How a file stands in the container, and what to say of another one under its name. */
interface BlobKind {
  readonly onProgress?: (progress: UploadProgress) => void;
  readonly name: string;
  readonly contentType: string;
  readonly whenOther: string;
}

interface Block {
  readonly id: string;
  readonly content: Buffer;
}

/**
 * Uploads a package once and for all: the blob is named after the zip, so a version has one content. The same bytes
 * again are no work; other bytes are refused. An interrupted upload goes on where it stopped.
 */
export function uploadPackage(
  path: string,
  container: ContainerClient,
  onProgress: (progress: UploadProgress) => void = () => undefined,
): Promise<UploadResult> {
  const whenOther = "raise the version in package.json and build again.";
  return uploadFile(path, container, { name: basename(path), contentType: "application/zip", whenOther, onProgress });
}

const givenFile = { what: "file to upload", next: "Name a file that exists; npm run package builds the packages." };

/** The same for any file, under a name of its own. */
export async function uploadFile(path: string, container: ContainerClient, kind: BlobKind): Promise<UploadResult> {
  const { name, onProgress = () => undefined } = kind;
  const content = await readGivenFile(path, givenFile);
  const digest = sha256(content);
  const blob = container.getBlockBlobClient(name);
  const result = { url: withoutQuery(blob.url), name, sha256: digest, bytes: content.length };
  try {
    if (await holdsSameBytes(blob, digest, kind)) return { kind: "already-there", ...result, resumedBlocks: 0 };
    const resumedBlocks = await sendBlocks(blob, content, onProgress);
    await commit(blob, content, { digest, kind });
    await verifyUploaded(blob, digest);
    return { kind: "uploaded", ...result, resumedBlocks };
  } catch (error) {
    throw explainStorageError(error, `${name} cannot be uploaded to ${withoutQuery(container.url)}`);
  }
}

async function holdsSameBytes(blob: BlockBlobClient, digest: string, { whenOther }: BlobKind): Promise<boolean> {
  const properties = await blob.getProperties().catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  });
  // A blob that has only uncommitted blocks does not exist yet.
  if (properties === undefined) return false;
  const present = properties.metadata?.["sha256"];
  if (present === digest) return true;
  throw new PublishError(
    `${blob.name} is there already with other content (sha256 ${present ?? "unknown"}, this file ${digest}).`,
    `A published version never changes: ${whenOther}`,
  );
}

async function sendBlocks(
  blob: BlockBlobClient,
  content: Buffer,
  onProgress: (progress: UploadProgress) => void,
): Promise<number> {
  const blocks = splitBlocks(content);
  const present = await uncommittedBlocks(blob);
  const missing = blocks.filter(({ id }) => !present.has(id));
  const resumed = blocks.length - missing.length;
  let sentBlocks = resumed;
  const queue = [...missing];
  const sendNext = async (): Promise<void> => {
    for (let block = queue.shift(); block !== undefined; block = queue.shift()) {
      const transactionalContentMD5 = md5(block.content);
      await blob.stageBlock(block.id, block.content, block.content.length, { transactionalContentMD5 });
      sentBlocks += 1;
      onProgress({ sentBlocks, blocks: blocks.length });
    }
  };
  await Promise.all(Array.from({ length: parallelBlocks }, sendNext));
  return resumed;
}

/** The id of a block holds its digest: a block of another content is never taken for this one. */
function splitBlocks(content: Buffer): readonly Block[] {
  const count = Math.max(1, Math.ceil(content.length / blockBytes));
  return Array.from({ length: count }, (_, index) => {
    const part = content.subarray(index * blockBytes, (index + 1) * blockBytes);
    const id = `${String(index).padStart(6, "0")}-${sha256(part).slice(0, 32)}`;
    return { id: Buffer.from(id).toString("base64"), content: part };
  });
}

async function uncommittedBlocks(blob: BlockBlobClient): Promise<ReadonlySet<string>> {
  try {
    const list = await blob.getBlockList("uncommitted");
    return new Set((list.uncommittedBlocks ?? []).map(({ name }) => name));
  } catch (error) {
    if (statusOf(error) === 404) return new Set();
    throw error;
  }
}

async function commit(
  blob: BlockBlobClient,
  content: Buffer,
  { digest, kind }: { readonly digest: string; readonly kind: BlobKind },
): Promise<void> {
  await blob.commitBlockList(
    splitBlocks(content).map(({ id }) => id),
    {
      // Two uploads at once: the second one is refused by the service.
      conditions: { ifNoneMatch: "*" },
      metadata: { sha256: digest },
      blobHTTPHeaders: { blobContentType: kind.contentType, blobContentMD5: md5(content) },
    },
  );
}

/** What lies there is read back: a digest in the metadata proves nothing about the content. */
async function verifyUploaded(blob: BlockBlobClient, digest: string): Promise<void> {
  const stored = sha256(await blob.downloadToBuffer());
  if (stored === digest) return;
  throw new PublishError(
    `${blob.name} has the sha256 ${stored} after the upload; the file has ${digest}.`,
    "Delete the blob and upload again.",
  );
}

function md5(content: Uint8Array): Uint8Array {
  return createHash("md5").update(content).digest();
}
