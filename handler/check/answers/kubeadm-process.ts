import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { ProcessSeen } from "../../../scripts/check/questions.ts";
import { textIfThere } from "../../files/text-if-there.ts";

/** What of kubeadm's makes a node, or takes one apart. */
const actingWords = ["init", "join", "reset", "upgrade"] as const;
const otherWords = ["alpha", "certs", "completion", "config", "help", "kubeconfig", "token", "version"] as const;
/** Where all that kubeadm makes of a machine lies: one that writes elsewhere makes no node of it. */
const nodeFolders = ["/etc/kubernetes", "/var/lib/kubelet"] as const;

/**
 * kubeadm's own word for what it was told to do; undefined where its arguments do not say so beyond doubt. Tokens and keys stand among
 * them: nothing but a word of the lists above leaves this function.
 */
export function kubeadmCommand(args: readonly string[]): ProcessSeen["command"] {
  const acting = actingWords.find((word) => args.includes(word));
  if (acting !== undefined) return acting;
  const own = args.findIndex((arg) => /(?:^|[/\\])kubeadm(?:\.exe)?$/iu.test(arg));
  const first = args.slice(own + 1).find((arg) => !arg.startsWith("-") && !/^\d*$/u.test(arg));
  const other = own < 0 ? undefined : otherWords.find((word) => word === first);
  return other === "config" && args.includes("pull") ? "config images pull" : other;
}

/** What is told of a process named kubeadm on Linux, by kernel memory alone: no file of another namespace is touched. */
export function tellKubeadm(root: string, pid: string): Pick<ProcessSeen, "command" | "elsewhere"> {
  const args = textIfThere(join(root, "proc", pid, "cmdline"))?.split("\0") ?? [];
  const command = kubeadmCommand(args);
  const elsewhere = !args.some((arg) => arg.startsWith("--rootfs")) && writesElsewhere(root, pid);
  return { ...(command !== undefined && { command }), ...(elsewhere && { elsewhere }) };
}

/** It sees other folders in the place of this machine's, as in a container. Not where it has this machine's by a mount, nor where nothing tells. */
function writesElsewhere(root: string, pid: string): boolean {
  const [ours, its] = ["self", pid].map((who) => textIfThere(join(root, "proc", who, "mountinfo")));
  if (ours === undefined || its === undefined || isBehindLink(root)) return false;
  return nodeFolders.every((folder) => {
    const [our, other] = [placeOf(ours, folder), placeOf(its, folder)];
    return our !== undefined && other !== undefined && our !== other;
  });
}

/** Then the same folder has two names, and a container may have it by the other one. */
function isBehindLink(root: string): boolean {
  return ["etc", "etc/kubernetes", "var", "var/lib", "var/lib/kubelet"].some(
    (path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
}

/** Of proc(5) mountinfo: the device and the folder on it that stand behind a path; undefined where no mount covers it (chroot). */
function placeOf(mountinfo: string, path: string): string | undefined {
  let place: string | undefined;
  let longest = -1;
  for (const line of mountinfo.split("\n")) {
    const [, , device = "", folder = "", point = ""] = line.split(" ");
    const below = point === "/" ? "" : point;
    const covers = point !== "" && (path === below || path.startsWith(`${below}/`));
    // What is mounted later lies on top.
    if (!covers || below.length < longest) continue;
    longest = below.length;
    place = `${device} ${folder === "/" ? "" : folder}${path.slice(below.length)}`;
  }
  return place;
}
