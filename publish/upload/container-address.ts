import { WrongUse } from "../publish-error.ts";
import { serviceAddress } from "../service-address.ts";

const example = "https://ACCOUNT.blob.core.windows.net/CONTAINER";

/**
 * The address of a container as a person gave it, for commander.
 * @throws WrongUse that tells nothing of a query: it is a signature
 */
export function parseContainer(text: string): string {
  if (text.includes("?")) {
    throw new WrongUse(
      "The address of the container carries a query.",
      "Give the shared access signature in CAPZ_STORAGE_SAS, not in the address: addresses are printed.",
    );
  }
  const url = serviceAddress(text);
  if (url !== undefined && /^\/[^/]/u.test(url.pathname)) return text.replace(/\/$/u, "");
  throw new WrongUse(`--container is "${text}".`, `Give the https address of a container: ${example}`);
}
