import AdmZip from "adm-zip";
import type { TokenCredential } from "@azure/identity";

/** The text of the newest report of a VM in a blob container, which the extension named `capz-bootstrap/<vm id>/<time>.zip`. */
export async function readNewestReport(
  container: string,
  vmId: string,
  credential: TokenCredential,
): Promise<string | undefined> {
  const { ContainerClient } = await import("@azure/storage-blob");
  const client = new ContainerClient(container, credential);
  const names: string[] = [];
  for await (const { name } of client.listBlobsFlat({ prefix: `capz-bootstrap/${vmId}/` })) names.push(name);
  // Names end in the time, so the last one is the newest.
  const newest = names.toSorted().at(-1);
  if (newest === undefined) return undefined;
  const zip = new AdmZip(await client.getBlobClient(newest).downloadToBuffer());
  return zip.readAsText("report.txt");
}
