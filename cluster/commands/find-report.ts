import { storageAccountOf } from "../../handler/text/storage-host.ts";
import type { Account } from "../verdict/account.ts";

export type ReportPlace =
  /** The address that the verdict names. */
  | { readonly kind: "blob"; readonly address: string }
  /** The setting reportUploadUri; the extension names a report there `capz-bootstrap/<vm id>/<time>.zip`. */
  | { readonly kind: "container"; readonly container: string; readonly vmId: string };

/**
 * Where the report can be read with a person's login to Azure storage, or a sentence that says why not. The address comes from a node, and the setting
 * from whoever may write a template: the login goes to Azure storage alone, never to another server that one of them names.
 */
export function findReport(verdict: Account | undefined, container: string | undefined): ReportPlace | string {
  const address = verdict?.reportUri;
  if (address !== undefined) {
    return isAzureStorage(address)
      ? { kind: "blob", address }
      : `${address}\nIt is not in Azure storage, so it is not read from here: your login goes to Azure alone.`;
  }
  if (container === undefined)
    return `${verdict === undefined ? "There is no verdict yet" : "The verdict names no uploaded report"}, and the setting reportUploadUri does not stand in the open settings of the machine's extension, so it is not known where a report would be.`;
  if (!isAzureStorage(container))
    return "The setting reportUploadUri names no container of Azure storage, and your login goes to Azure alone; the verdict names the report's address once it is uploaded.";
  if (verdict?.vmId === undefined) return "The id of the VM is not known yet.";
  return { kind: "container", container: withoutQuery(container), vmId: verdict.vmId };
}

function isAzureStorage(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && storageAccountOf(url) !== undefined;
}

/** The account and the container alone: a SAS that may only write would be used in the place of the login. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}/${pathname.split("/").find((part) => part !== "") ?? ""}`;
}
