import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Answer } from "../../../scripts/check/questions.ts";
import type { Host } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { cannotTell, known } from "./answer.ts";
import { answerRegistry } from "./registry-answers.ts";
import type { ProgramView } from "./program-view.ts";

/** The name that a Windows machine's network gives it; what `hostname` prints. */
const hostNameKey = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters";

export async function answerMachine(
  host: Pick<Host, "root" | "platform">,
  identity: MachineIdentity,
  registry: ProgramView,
): Promise<Answer<"machine">> {
  const hostName = await readHostName(host, registry);
  if (hostName === undefined || hostName === "") return cannotTell("the host name is not known");
  return known<"machine">({ vmId: identity.vmId, hostName });
}

async function readHostName(
  { root, platform }: Pick<Host, "root" | "platform">,
  registry: ProgramView,
): Promise<string | undefined> {
  if (isSystemRoot(root)) return hostname();
  if (platform.name === "windows") {
    const answer = await answerRegistry(registry, hostNameKey);
    if (answer.kind !== "known" || answer.value.kind !== "values") return undefined;
    return answer.value.values["Hostname"];
  }
  return readLine(join(root, "proc/sys/kernel/hostname")) ?? readLine(join(root, "etc/hostname"));
}

function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").split("\n", 1)[0]?.trim();
  } catch {
    return undefined;
  }
}
