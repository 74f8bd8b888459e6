import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { debianRoot, debianRootFolder, projectFolder, type RootRecipe } from "./node-root.ts";

/** Where the server lies in the root. */
export const apiServerProgram = "/opt/api-server/api-server";

/**
 * A Debian root with a real API server for custom resources (test/lanes/api-server/main.go, built from Debian's Go packages), etcd and
 * kubectl. Unstable alone has these packages. What is only needed to build is removed, so that 3.3 GB become a fifth.
 */
export async function apiServerRoot(): Promise<string> {
  return debianRoot(await apiServerRecipe());
}

/** The root, where it has been built before; a demonstration does not wait for it. */
export async function builtApiServerRoot(): Promise<string | undefined> {
  const folder = debianRootFolder(await apiServerRecipe());
  return existsSync(folder) ? folder : undefined;
}

export async function apiServerRecipe(): Promise<RootRecipe> {
  const source = await readFile(join(projectFolder, "test/lanes/api-server/main.go"), "utf8");
  return {
    suite: "sid",
    packages: ["etcd-server", "golang-go", "golang-k8s-apiextensions-apiserver-dev", "kubectl"],
    needsMb: 6000,
    finish: `
mkdir -p /opt/api-server
base64 -d >/opt/api-server/main.go <<'END'
${Buffer.from(source).toString("base64")}
END
cd /opt/api-server
HOME=/root GO111MODULE=off GOPATH=/opt/go:/usr/share/gocode nice -n 5 go build -o ${apiServerProgram} main.go
dpkg-query --show etcd-server golang-go golang-k8s-apiextensions-apiserver-dev kubectl >/opt/api-server/versions
rm -rf /usr/share/gocode /usr/lib/go-* /usr/share/go-* /root/.cache /usr/share/doc
`,
  };
}
