import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootNode, type BootedNode } from "../support/booted-node.ts";
import { projectFolder } from "../support/node-root.ts";
import { waitUntil } from "../support/wait-until.ts";
import { capiUserData, writeStandIns, type KubeadmBehaviour } from "./capi-user-data.ts";
import { lane, nodeNeeds } from "./lane.ts";
import { printVersions } from "./print-versions.ts";
import { buildPackage, type HandlerPackage } from "./real-package.ts";

const pythonFolder = "/usr/lib/python3/dist-packages";
const roleFolder = join(projectFolder, "manifests/image-builder");

lane(
  "the image-builder role on a booted node",
  { ...nodeNeeds, programs: [...nodeNeeds.programs, "ansible-playbook"] },
  () => {
    let handlerPackage: HandlerPackage;
    let digest: string;
    const nodes: BootedNode[] = [];
    const scratch: string[] = [];

    beforeAll(async () => {
      handlerPackage = await buildPackage("Linux");
      digest = createHash("sha256")
        .update(await readFile(handlerPackage.zip))
        .digest("hex");
    });

    afterEach(async () => {
      for (const node of nodes.splice(0)) await node.dispose();
      for (const folder of scratch.splice(0)) await rm(folder, { recursive: true, force: true });
    });

    /** Ansible of this machine, for a node that runs the play on itself: there is no secure shell between them. */
    async function ansibleLayer(): Promise<string> {
      const layer = await mkdtemp(join(tmpdir(), "capz-ansible-"));
      scratch.push(layer);
      const parts = (await readdir(pythonFolder)).filter((name) => /^(?:ansible|packaging|resolvelib)/u.test(name));
      for (const name of parts)
        await cp(join(pythonFolder, name), join(layer, pythonFolder, name), { recursive: true });
      for (const name of ["ansible", "ansible-playbook"]) {
        await cp(`/usr/bin/${name}`, join(layer, "usr/bin", name), { recursive: true, dereference: true });
      }
      return layer;
    }

    /** The machine from which the image is made: nothing bootstraps there. */
    async function bootBuilder(kubeadm: KubeadmBehaviour): Promise<BootedNode> {
      const node = await bootNode({
        layers: [await ansibleLayer()],
        prepare: async (files) => {
          await writeStandIns(files, kubeadm);
          await files.write("/root/capz-bootstrap.zip", await readFile(handlerPackage.zip));
          await cp(roleFolder, join(files.root, "root/image-builder"), { recursive: true });
        },
      });
      nodes.push(node);
      return node;
    }

    const play = (node: BootedNode, sha256: string) =>
      node.exec([
        ...["env", "HOME=/root", "LC_ALL=C.UTF-8", "ANSIBLE_NOCOLOR=1", "ansible-playbook"],
        ...["--connection", "local", "--inventory", "localhost,", "/root/image-builder/site.yml"],
        ...["--extra-vars", "capz_bootstrap_package=/root/capz-bootstrap.zip"],
        ...["--extra-vars", `capz_bootstrap_sha256=${sha256}`],
        ...["--extra-vars", '{"capz_bootstrap_settings": {"timeoutSeconds": 60}}'],
      ]);

    /** A machine made from the image: another id, another instance, user data that bootstraps. */
    async function bootMachineFromImage(node: BootedNode): Promise<void> {
      await node.powerOff();
      await node.write(
        "/usr/local/lib/test-node/sys-class/dmi/id/product_uuid",
        "0badcafe-0000-4000-8000-0000000017a6\n",
      );
      await node.write("/var/lib/cloud/seed/nocloud/meta-data", "instance-id: machine\nlocal-hostname: capz-node-2\n");
      await node.write("/var/lib/cloud/seed/nocloud/user-data", capiUserData());
      await node.powerOn();
    }

    const unitState = async (node: BootedNode): Promise<string> =>
      (await node.exec(["systemctl", "show", "-P", "ActiveState", "capz-bootstrap.service"])).stdout.trim();

    async function waitForUnit(node: BootedNode): Promise<string> {
      const ended = async () => {
        const state = await unitState(node);
        return state === "inactive" || state === "failed" ? state : undefined;
      };
      return waitUntil("the unit to end", ended, {
        timeoutMs: 120_000,
        describe: () => node.exec(["journalctl", "-u", "capz-bootstrap.service", "--no-pager"]),
      });
    }

    test("an image with the role: its machine says at boot that it bootstrapped, on the console and in the journal", async () => {
      const node = await bootBuilder("joins");
      printVersions("image-role", await node.run(["ansible-playbook", "--version"]));
      const first = await play(node, digest);
      expect({ code: first.code, failed: /failed=0/u.test(first.stdout) ? "" : first.stdout }).toEqual({
        code: 0,
        failed: "",
      });
      // While the image is built nothing waits for a bootstrap.
      expect(await unitState(node)).toBe("inactive");
      expect((await play(node, digest)).stdout).toMatch(/changed=0 /u);

      await bootMachineFromImage(node);
      expect(await waitForUnit(node)).toBe("inactive");
      const journal = await node.run(["journalctl", "-u", "capz-bootstrap.service", "--output=cat", "--no-pager"]);
      expect(journal).toMatch(/^Bootstrapped in \d+ s \(kubeadm\)/mu);
      expect(await node.consoleText()).toMatch(/capz-bootstrap: Bootstrapped in \d+ s/u);
    });

    test("its machine that cannot join: the unit has failed, and the journal names the cause", async () => {
      const node = await bootBuilder("preflight-fails");
      expect((await play(node, digest)).code).toBe(0);
      await bootMachineFromImage(node);
      expect(await waitForUnit(node)).toBe("failed");
      const journal = await node.run(["journalctl", "-u", "capz-bootstrap.service", "--output=cat", "--no-pager"]);
      expect(journal).toMatch(/^Bootstrap failed \(\w+\)/mu);
      expect(journal).toContain("ca.crt already exists");
    });

    test("another package than the one that was asked for is not installed", async () => {
      const node = await bootBuilder("joins");
      const refused = await play(node, "0".repeat(64));
      expect(refused.code).not.toBe(0);
      expect(refused.stdout).toContain("is not the package that was asked for");
      expect(await node.exists("/opt/capz-bootstrap")).toBe(false);
    });
  },
);
