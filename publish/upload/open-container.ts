import type { TokenCredential } from "@azure/identity";
import {
  AnonymousCredential,
  BlobServiceClient,
  ContainerClient,
  type StoragePipelineOptions,
} from "@azure/storage-blob";

export interface ContainerAccess {
  /** Address of the container, as parseContainer gives it. */
  readonly url: string;
  /** A shared access signature; without it the signed-in identity is used. */
  readonly sas?: string;
}

const retries: StoragePipelineOptions = {
  retryOptions: { maxTries: 5, retryDelayInMs: 1000, maxRetryDelayInMs: 20_000 },
};

export interface OpenedContainer {
  readonly container: ContainerClient;
  /** Present when links can be signed for the identity that is signed in. */
  readonly service?: BlobServiceClient;
}

/** The container that packages are uploaded to, by SAS or by the identity that DefaultAzureCredential finds. */
export async function openContainer(access: ContainerAccess, credential?: TokenCredential): Promise<OpenedContainer> {
  if (access.sas !== undefined) {
    const signed = `${access.url}?${access.sas.replace(/^\?/, "")}`;
    return { container: new ContainerClient(signed, new AnonymousCredential(), retries) };
  }
  const identity = credential ?? (await signedInIdentity());
  const [account, name] = splitAddress(access.url);
  const service = new BlobServiceClient(account, identity, retries);
  return { container: service.getContainerClient(name), service };
}

async function signedInIdentity(): Promise<TokenCredential> {
  const { DefaultAzureCredential } = await import("@azure/identity");
  return new DefaultAzureCredential();
}

function splitAddress(url: string): readonly [string, string] {
  const end = url.lastIndexOf("/");
  return [url.slice(0, end), url.slice(end + 1)];
}
