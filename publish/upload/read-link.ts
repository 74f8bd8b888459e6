import { BlobSASPermissions, generateBlobSASQueryParameters, SASProtocol } from "@azure/storage-blob";
import { PublishError } from "../publish-error.ts";
import { writeAtomic } from "../write-atomic.ts";
import type { OpenedContainer } from "./open-container.ts";
import { explainStorageError } from "./storage-error.ts";

/**
 * Writes a link that lets the publishing service read one blob. It goes to a file that only its owner can read, never to
 * the output: a log of a build is read by many.
 */
export async function writeReadLink(
  opened: OpenedContainer,
  blobName: string,
  /** `days` as parseLinkDays gives them: the service signs nothing longer. */
  link: { readonly file: string; readonly days: number; readonly now: Date },
): Promise<void> {
  const { container, service } = opened;
  if (service === undefined) {
    throw new PublishError(
      "A link cannot be signed with a shared access signature.",
      "Sign in, or pass your own link to publish.",
    );
  }
  // Clocks differ: a link that starts now may not be valid yet where it is used.
  const startsOn = new Date(link.now.getTime() - 15 * 60_000);
  const expiresOn = new Date(link.now.getTime() + link.days * 86_400_000 - 60_000);
  try {
    const key = await service.getUserDelegationKey(startsOn, expiresOn);
    const permissions = BlobSASPermissions.parse("r");
    const values = {
      containerName: container.containerName,
      blobName,
      permissions,
      startsOn,
      expiresOn,
      protocol: SASProtocol.Https,
    };
    const query = generateBlobSASQueryParameters(values, key, service.accountName).toString();
    await writeAtomic(link.file, `${container.getBlobClient(blobName).url}?${query}\n`, 0o600);
  } catch (error) {
    throw explainStorageError(error, `No link could be signed for ${blobName}`);
  }
}
