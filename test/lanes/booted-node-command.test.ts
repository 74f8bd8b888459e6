import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { bootNode, type BootedNode } from "../support/booted-node.ts";
import { waitUntil } from "../support/wait-until.ts";
import { capiUserData, writeStandIns } from "./capi-user-data.ts";
import {
  callHandler,
  handlerLayer,
  waitForStatus,
  waitForVerdict,
  writeHandlerEnvironment,
  writeSettings,
  type HandlerOnNode,
} from "./handler-on-node.ts";
import { lane, nodeNeeds } from "./lane.ts";
import { buildPackage, type HandlerPackage } from "./real-package.ts";
import { runningSupervisor } from "./supervisor-unit.ts";

lane("a user's command on a booted node", nodeNeeds, () => {
  let handlerPackage: HandlerPackage;
  let layer: string;
  const nodes: BootedNode[] = [];

  beforeAll(async () => {
    handlerPackage = await buildPackage("Linux");
    layer = await handlerLayer(handlerPackage);
  });

  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.dispose();
  });

  async function enableOnNode(
    commandToExecute: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HandlerOnNode> {
    const { version } = handlerPackage;
    const publicSettings = { commandToExecute, graceSeconds: "0", ...more };
    const node = await bootNode({
      layers: [layer],
      userData: capiUserData(),
      prepare: async (files) => {
        await writeStandIns(files, "hangs");
        await writeHandlerEnvironment(files, version);
        await writeSettings(files, version, { sequence: 0, publicSettings });
      },
    });
    nodes.push(node);
    const handler = { node, version, sequence: 0 };
    await callHandler(handler, "install");
    await callHandler(handler, "enable");
    return handler;
  }

  const count = async (node: BootedNode, pattern: string): Promise<number> =>
    Number((await node.exec(["pgrep", "-fc", pattern])).stdout.trim());

  test.each([
    ["nohup", `nohup sh -c "sleep 3; echo late > /var/tmp/late" >/dev/null 2>&1 & echo started`],
    ["setsid", `setsid sh -c "sleep 3; echo late > /var/tmp/late" >/dev/null 2>&1 & echo started`],
  ])("background work of a successful command outlives the verdict and the supervisor: %s", async (_, command) => {
    const handler = await enableOnNode(command);
    const { node } = handler;
    expect((await waitForVerdict(handler)).kind).toBe("success");
    expect(await node.exists("/var/tmp/late")).toBe(false);
    await waitUntil("the supervisor to end", async () => (await runningSupervisor(node)) === undefined);
    await waitUntil("the late word", () => node.exists("/var/tmp/late"));
  });

  test("at the deadline all of it ends: a child that left the session, its parent and its environment too", async () => {
    const handler = await enableOnNode("env -i setsid -f sleep 5431; (setsid sleep 5432 &); sleep 5433", {
      timeoutSeconds: "30",
    });
    const { node } = handler;
    await waitUntil("the whole tree", async () => (await count(node, "^sleep 543[123]$")) === 3);
    const status = await waitForVerdict(handler);
    expect(status).toMatchObject({ kind: "error", code: 11 });
    expect(await count(node, "^sleep 543[123]$")).toBe(0);
  });

  test("disable in the middle of a command ends all of it", async () => {
    const handler = await enableOnNode("env -i setsid -f sleep 5431; sleep 5433");
    const { node } = handler;
    await waitUntil("the whole tree", async () => (await count(node, "^sleep 543[13]$")) === 2);
    await callHandler(handler, "disable");
    expect(await count(node, "^sleep 543[13]$")).toBe(0);
  });

  const countingCommand = "echo start >> /var/tmp/starts; sync; [ $(wc -l < /var/tmp/starts) -gt 1 ] || sleep 600";

  test.each([
    ["never", "error", 1],
    ["once", "success", 2],
    ["always", "success", 2],
  ] as const)(
    "a reboot in the middle of a command, restart %s: %s after %d start(s)",
    async (restart, kind, starts) => {
      const handler = await enableOnNode(countingCommand, { restart });
      const { node } = handler;
      await waitForStatus(handler, "the command to run", ({ kind: now }) => now === "transitioning");
      await waitUntil("the first start", () => node.exists("/var/tmp/starts"));
      await node.reboot();
      await callHandler(handler, "enable");
      const status = await waitForVerdict(handler);
      expect(status.kind).toBe(kind);
      if (restart === "never") expect(status.firstLine).toContain("Bootstrap not checked (Interrupted)");
      expect((await node.read("/var/tmp/starts")).trim().split("\n")).toHaveLength(starts);
    },
  );

  test("200 commands, one after the other: what each left in the background lives, and no bystander is killed", async () => {
    const runs = 200;
    const handler = await enableOnNode("setsid sleep 54320 & echo 0");
    const { node, version } = handler;
    await node.run(["systemd-run", "--quiet", "--unit=bystander", "sh", "-c", "exec sleep 54399"]);
    await waitForVerdict(handler);
    for (let sequence = 1; sequence < runs; sequence += 1) {
      const publicSettings = {
        commandToExecute: `setsid sleep 5432${String(sequence)} & exit ${String(sequence % 2)}`,
      };
      await writeSettings(node, version, { sequence, publicSettings });
      await callHandler({ ...handler, sequence }, "enable");
      await waitForVerdict({ ...handler, sequence });
    }
    expect(await count(node, "^sleep 54399$")).toBe(1);
    expect(await count(node, "^sleep 5432[0-9]+$")).toBe(runs);
    // Every second one fails, and so is diagnosed; on a busy machine one takes some seconds.
  }, 1_200_000);
});
