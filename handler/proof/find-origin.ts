import type { Answer } from "../../scripts/check/questions.ts";
import type { ProofMessage } from "../contract/verdict-substatus.ts";
import type { Ask } from "./ask-versions.ts";

type Origin = ProofMessage["origin"];

const cloudbaseKey = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";

/** What `prepare-image` left on the disk, if it is of another machine. */
export interface PreparedBefore {
  readonly vmId: string;
  readonly preparedAt: string;
}

/** Does this disk carry records of another instance than this one? */
export async function findOrigin(
  system: "linux" | "windows",
  prepared: PreparedBefore | undefined,
  ask: Ask,
): Promise<Origin> {
  if (prepared !== undefined) {
    return other(`prepare-image made the donor ready at ${prepared.preparedAt}, as VM ${prepared.vmId}`);
  }
  return system === "linux" ? findByCloudInit(ask) : findByCloudbaseInit(ask);
}

/** cloud-init keeps a folder for every instance that has ever booted from the disk. */
async function findByCloudInit(ask: Ask): Promise<Origin> {
  const folder = "/var/lib/cloud/instances";
  const current = (await ask({ ask: "text", path: "/var/lib/cloud/data/instance-id" })) as Answer<"text">;
  const names = (await ask({ ask: "names", folder })) as Answer<"names">;
  if (current.kind !== "known" || current.value.kind !== "text") return none;
  if (names.kind !== "known" || names.value.kind !== "names") return none;
  const own = current.value.text.trim();
  const others = names.value.names.filter((name) => !isSameInstance(name, own));
  return others.length === 0 ? none : other(`${folder} holds ${others.slice(0, 2).join(" and ")} beside ${own}`);
}

/** cloudbase-init keeps a registry key for every instance. */
async function findByCloudbaseInit(ask: Ask): Promise<Origin> {
  const answer = (await ask({ ask: "registry", key: cloudbaseKey })) as Answer<"registry">;
  if (answer.kind !== "known" || answer.value.kind !== "values") return none;
  const { subkeys } = answer.value;
  return subkeys.length < 2 ? none : other(`${cloudbaseKey} holds ${String(subkeys.length)} instances`);
}

const none: Origin = { kind: "no-trace" };

function other(why: string): Origin {
  return { kind: "another-machine", why };
}

/** Azure's id of a machine was read in either byte order, so cloud-init takes both for the same instance. */
function isSameInstance(one: string, another: string): boolean {
  const [a, b] = [one.toLowerCase(), another.toLowerCase()];
  return a === b || a === swapped(b);
}

function swapped(id: string): string {
  const [first = "", second = "", third = "", ...rest] = id.split("-");
  return [first, second, third]
    .map((part) => (part.match(/../gu) ?? []).toReversed().join(""))
    .concat(rest)
    .join("-");
}
