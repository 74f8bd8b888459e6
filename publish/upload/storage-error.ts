import { member, textOr } from "../json-value.ts";
import { mask } from "../mask.ts";
import { errorText, PublishError } from "../publish-error.ts";

export function statusOf(error: unknown): number | undefined {
  const status = member(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}

const hints: Readonly<Record<string, string>> = {
  ContainerNotFound: "Create the container, or correct its address.",
  AuthenticationFailed:
    "The shared access signature is expired or wrong: make a new one with the rights to read, create and write.",
  AuthorizationPermissionMismatch: "The identity needs the role Storage Blob Data Contributor on the container.",
  AuthorizationFailure:
    "The shared access signature is expired or wrong, or the firewall of the account does not let this machine in.",
  BlobAlreadyExists: "Someone uploaded this version at the same time: compare the digests.",
};

/** By which @azure/identity tells that no credential could be had (its errors.ts); a page of text each, of which the first line is enough. */
const errorsOfSignIn = [
  "AggregateAuthenticationError",
  "AuthenticationError",
  "AuthenticationRequiredError",
  "CredentialUnavailableError",
];

/** A refusal of the storage service in words; nothing of a signature is in it. */
export function explainStorageError(error: unknown, what: string): PublishError {
  if (error instanceof PublishError) return error;
  const code = textOr(member(error, "code"), textOr(member(error, "details", "errorCode"), ""));
  const status = statusOf(error);
  const [firstLine = ""] = mask(errorText(error)).split("\n", 1);
  if (error instanceof Error && errorsOfSignIn.includes(error.name)) {
    return new PublishError(
      `${what}: nobody is signed in (${firstLine})`,
      "Sign in (az login, or azure/login in a workflow), or give a shared access signature in CAPZ_STORAGE_SAS.",
    );
  }
  const hint = hints[code] ?? "Try again; an interrupted upload goes on where it stopped.";
  return new PublishError(`${what}: ${[code, status, firstLine].filter(Boolean).join(", ")}`, hint);
}
