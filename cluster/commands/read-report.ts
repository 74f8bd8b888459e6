import AdmZip from "adm-zip";
import type { TokenCredential } from "@azure/identity";
import type { BlobClient, StoragePipelineOptions, StorageSharedKeyCredential } from "@azure/storage-blob";
import type { ReportPlace } from "./find-report.ts";

/** A report has a few megabytes at most; what is larger was not written by the extension. */
const mostBytes = 64 * 1024 * 1024;

export interface ReadingParts {
  readonly credential: TokenCredential | StorageSharedKeyCredential;
  readonly signal: AbortSignal;
  readonly pipeline?: StoragePipelineOptions;
}

/** The text of a report in Azure storage: of the blob that the verdict names, or of the newest one of the VM in its container. */
export async function readReport(
  place: ReportPlace,
  { credential, signal, pipeline }: ReadingParts,
): Promise<string | undefined> {
  const storage = await import("@azure/storage-blob");
  if (place.kind === "blob") return readText(new storage.BlobClient(place.address, credential, pipeline), signal);
  const client = new storage.ContainerClient(place.container, credential, pipeline);
  const names: string[] = [];
  const listed = client.listBlobsFlat({ prefix: `capz-bootstrap/${place.vmId}/`, abortSignal: signal });
  for await (const { name } of listed) names.push(name);
  // Names end in the time, so the last one is the newest.
  const newest = names.toSorted().at(-1);
  return newest === undefined ? undefined : readText(client.getBlobClient(newest), signal);
}

async function readText(blob: BlobClient, signal: AbortSignal): Promise<string> {
  const { contentLength = 0 } = await blob.getProperties({ abortSignal: signal });
  if (contentLength > mostBytes) throw new Error(`it has ${String(contentLength)} bytes, which no report has`);
  const zip = new AdmZip(await blob.downloadToBuffer(0, contentLength, { abortSignal: signal }));
  const entry = zip.getEntry("report.txt");
  if (entry === null) throw new Error("it holds no report.txt");
  if (entry.header.size > mostBytes) throw new Error(`its report.txt has ${String(entry.header.size)} bytes`);
  return entry.getData().toString("utf8");
}
