import { spawn } from "node:child_process";
import type { ApiServer } from "./api-server.ts";

/** The kubectl of the Debian root, against a server that speaks plain HTTP. */
export function kubectl(server: ApiServer, origin: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      "/usr/sbin/chroot",
      [server.root, "/usr/bin/kubectl", "--server", origin, "--cache-dir", "/var/tmp/kubectl-cache", ...args],
      {
        env: { PATH: "/usr/bin:/bin", HOME: "/root" },
      },
    );
    let out = "";
    let error = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`kubectl ${args.join(" ")}: ${error}`));
    });
  });
}
