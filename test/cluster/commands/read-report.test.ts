import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { StorageSharedKeyCredential, type StoragePipelineOptions } from "@azure/storage-blob";
import AdmZip from "adm-zip";
import { readReport } from "../../../cluster/commands/read-report.ts";
import { azuriteAccount, azuriteHookMs, azuriteKey, startAzurite, type Azurite } from "../../support/azurite.ts";

let azurite: Azurite;

beforeAll(async () => {
  azurite = await startAzurite();
}, azuriteHookMs);
afterAll(() => azurite.close());

function zipOf(name: string, text: string): Buffer {
  const zip = new AdmZip();
  zip.addFile(name, Buffer.from(text));
  return zip.toBuffer();
}

/** Azurite knows the key of its account; the login of a person is Azure's own library. */
function read(place: Parameters<typeof readReport>[0]): Promise<string | undefined> {
  const pipeline: StoragePipelineOptions & { readonly tlsOptions: { readonly ca: string } } = {
    tlsOptions: { ca: azurite.certificate },
  };
  const credential = new StorageSharedKeyCredential(azuriteAccount, azuriteKey);
  return readReport(place, { credential, signal: AbortSignal.timeout(60_000), pipeline });
}

const inContainer = (vmId: string) => read({ kind: "container", container: azurite.container, vmId });
const atAddress = (name: string) => read({ kind: "blob", address: `${azurite.container}/${name}` });

test("reads the newest report of the VM in a container, and no other VM's", async () => {
  await azurite.put("capz-bootstrap/vm-1/2026-11-22T10-00-00.zip", zipOf("report.txt", "the first"));
  await azurite.put("capz-bootstrap/vm-1/2026-11-22T11-00-00.zip", zipOf("report.txt", "the second"));
  await azurite.put("capz-bootstrap/vm-10/2026-11-22T12-00-00.zip", zipOf("report.txt", "another VM's"));
  expect(await inContainer("vm-1")).toBe("the second");
  expect(await inContainer("vm-2")).toBeUndefined();
});

test("reads the report at its address", async () => {
  await azurite.put("one/of-my-own.zip", zipOf("report.txt", "at its address"));
  expect(await atAddress("one/of-my-own.zip")).toBe("at its address");
});

test("says what is wrong with a file that is no report", async () => {
  await azurite.put("other.zip", zipOf("other.txt", "x"));
  await azurite.put("no.zip", Buffer.from("no archive"));
  await expect(atAddress("other.zip")).rejects.toThrow("it holds no report.txt");
  await expect(atAddress("no.zip")).rejects.toThrow(/format/);
  await expect(atAddress("absent.zip")).rejects.toThrow();
});
