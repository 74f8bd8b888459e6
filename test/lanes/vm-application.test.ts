import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { bootNode, type BootedNode } from "../support/booted-node.ts";
import { projectFolder } from "../support/node-root.ts";
import { lane, nodeNeeds } from "./lane.ts";
import { printVersions } from "./print-versions.ts";
import { buildPackage } from "./real-package.ts";

/** Where the platform's VM Application handler downloads to and runs the commands. */
const download = "/var/lib/waagent/Microsoft.CPlat.Core.VMApplicationManagerLinux/capz-bootstrap-linux/1.0.0";

lane("the VM Application on a booted node", nodeNeeds, () => {
  let node: BootedNode;

  beforeAll(async () => {
    const { zip } = await buildPackage("Linux");
    const content = await readFile(zip);
    node = await bootNode({
      prepare: async (files) => {
        await files.write(`${download}/capz-bootstrap.zip`, content);
        for (const name of ["install.sh", "remove.sh"]) {
          await files.write(`${download}/${name}`, await readFile(`${projectFolder}/manifests/vm-application/${name}`));
        }
      },
    });
    await node.waitBooted();
    printVersions("vm-application", await node.run(["dpkg-query", "--show", "systemd", "cloud-init"]));
  });

  afterAll(() => node.dispose());

  /** As the platform does it: bash, in the folder of the download. */
  const runCommandOf = (action: "install" | "remove") =>
    node.exec(["/bin/bash", "-c", `cd ${download} && /bin/bash -c "$(cat ${action}.sh)"`]);

  test("install waits for the node's verdict and ends with it, and remove leaves nothing", async () => {
    const settings = { commandToExecute: "test -d /run/systemd/system && echo booted", timeoutSeconds: "60" };
    await node.write(`${download}/capz-bootstrap.json`, JSON.stringify(settings));
    const installed = await runCommandOf("install");
    expect(installed).toMatchObject({ code: 0 });
    expect(await node.exists("/opt/capz-bootstrap/bin/capz-bootstrap")).toBe(true);
    expect(await runCommandOf("remove")).toMatchObject({ code: 0 });
    expect(await node.exists("/opt/capz-bootstrap")).toBe(false);
    expect(await node.exists("/var/lib/capz-bootstrap/run")).toBe(false);
  });

  test("install ends red when the check says that the node failed", async () => {
    const settings = { commandToExecute: "echo kubelet is not there >&2; exit 4", timeoutSeconds: "60" };
    await node.write(`${download}/capz-bootstrap.json`, JSON.stringify(settings));
    expect(await runCommandOf("install")).toMatchObject({ code: 1 });
  });
});
