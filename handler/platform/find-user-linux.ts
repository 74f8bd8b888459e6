import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RunProcess } from "../host.ts";
import type { UserSearch } from "./platform.ts";

const places = ["/usr/bin/setpriv", "/bin/setpriv"];

/**
 * Through getent(1), which asks every source of users (LDAP too), else from /etc/passwd. setpriv(1) replaces itself by the
 * command, so that its pid and session stay ours to know; su(1) and runuser(1) would stand between.
 */
export async function findUser(name: string, run: RunProcess): Promise<UserSearch> {
  const setpriv = places.find((path) => existsSync(path));
  if (setpriv === undefined) return { kind: "absent", reason: "setpriv (util-linux) is not on this machine" };
  const entry = (await askGetent(name, run)) ?? (await askFile(name));
  const [, , uid, gid, , home] = entry?.split(":") ?? [];
  if (uid === undefined || gid === undefined || !/^\d+$/u.test(uid) || !/^\d+$/u.test(gid)) {
    return { kind: "absent", reason: "this machine has no such user" };
  }
  return {
    kind: "found",
    uid: Number(uid),
    gid: Number(gid),
    home: home === undefined || home === "" ? "/" : home,
    prefix: [setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--init-groups", "--"],
  };
}

async function askGetent(name: string, run: RunProcess): Promise<string | undefined> {
  const result = await run("getent", ["passwd", "--", name], { timeoutMs: 10_000 });
  return result.kind === "exited" && result.code === 0 ? entryOf(result.stdout.toString("utf8"), name) : undefined;
}

async function askFile(name: string): Promise<string | undefined> {
  return entryOf(await readFile("/etc/passwd", "utf8").catch(() => ""), name);
}

function entryOf(text: string, name: string): string | undefined {
  return text.split("\n").find((line) => line.startsWith(`${name}:`));
}
