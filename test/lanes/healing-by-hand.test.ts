import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import { buildClient } from "../../publish/build-client.ts";
import { azureVm, type PlayedVm } from "../cluster/support/azure-vm.ts";
import { snippetsOf } from "../support/markdown.ts";
import { projectFolder } from "../support/node-root.ts";
import { failedVerdict, passedVerdict } from "../support/verdict-samples.ts";
import { lane } from "./lane.ts";

/** The script of docs/healing.md that deletes machines in the end, as it is printed; `az` and `kubectl` are played. */
lane("healing by hand, as the page says", { programs: ["bash", "jq"], root: false }, () => {
  let tools = "";
  const failed = failedVerdict();
  const { vmId } = failed;
  const snippets = snippetsOf(readFileSync(join(projectFolder, "docs/healing.md"), "utf8"))
    .filter(({ language, text }) => language === "sh" && /^view=|kubectl apply --server-side/u.test(text))
    .map(({ text }) => text);

  beforeAll(async () => {
    tools = mkdtempSync(join(tmpdir(), "capz-by-hand-"));
    const { program } = await buildClient(join(tools, "client"));
    play("capz-bootstrap", `exec ${process.execPath} ${program} "$@"`);
    play("kubectl", `echo "$1" >>${tools}/asked`);
  });
  afterAll(() => {
    rmSync(tools, { recursive: true });
  });

  function play(name: string, text: string): void {
    writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }

  /** `az` prints the properties beside the name. */
  function azShows(vm: Omit<PlayedVm, "id">): void {
    const { properties, ...rest } = azureVm({ id: "vm", ...vm });
    writeFileSync(join(tools, "view.json"), JSON.stringify({ ...rest, ...Object(properties) }));
    play("az", `cat ${tools}/view.json`);
  }

  /** The commands of kubectl that the script called, in order. */
  function asked(script = snippets.join("\n")): readonly string[] {
    rmSync(join(tools, "asked"), { force: true });
    const env = {
      PATH: [tools, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
      VM_ID: "vm",
      MACHINE: "workload-md-0-7xk2p",
      NAMESPACE: "default",
    };
    spawnSync("bash", ["-c", script], { env, encoding: "utf8" });
    return existsSync(join(tools, "asked")) ? readFileSync(join(tools, "asked"), "utf8").trim().split("\n") : [];
  }

  test("marks a machine whose own extension says that it failed", () => {
    azShows({ vmId, status: verdictStatus(failed) });
    expect(asked()).toEqual(["annotate", "apply"]);
  });

  test("leaves a machine alone that bootstrapped", () => {
    azShows({ vmId, status: verdictStatus(passedVerdict()) });
    expect(asked()).toEqual([]);
  });

  test("leaves a machine alone that shows the verdict of another one", () => {
    azShows({ vmId: "11111111-2222-4333-8444-555555555555", status: verdictStatus(failed) });
    expect(asked()).toEqual([]);
  });

  test("leaves a machine alone whose other extension failed in words that a rule knows", () => {
    const message = "curl: (6) Could not resolve host: files.prod.internal";
    azShows({
      vmId,
      extension: { name: "CustomScript", statuses: [{ code: "ProvisioningState/failed", message }] },
    });
    expect(asked()).toEqual([]);
  });

  test("leaves a machine alone where az could not ask, also with its error in the pipe", () => {
    const refused = `ERROR: HTTPSConnectionPool(host='management.azure.com', port=443): Max retries exceeded with url: / (Caused by NameResolutionError(\\"<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to resolve 'management.azure.com'\\"))`;
    play("az", `echo "${refused}" >&2; exit 1`);
    expect(asked()).toEqual([]);
    expect(asked(snippets.join("\n").replace('"$VM_ID")', '"$VM_ID" 2>&1)').replace("|| view='{}'", ""))).toEqual([]);
  });
});
