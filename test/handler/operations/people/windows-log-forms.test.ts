import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { runDiagnose } from "../../../../handler/operations/people/run-diagnose.ts";
import { fakeHost } from "../../diagnosis/fake-host.ts";

const folder = mkdtempSync(join(tmpdir(), "capz-windows-logs-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const head = ["INFO cloudbaseinit.init [-] Cloudbase-Init version: 1.1.6"];
const runs = "INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'";
const done = "INFO cloudbaseinit.init [-] Plugins execution done";
const ended = (code: number) =>
  `INFO cloudbaseinit.plugins.common.executil [-] User_data script ended with return code: ${String(code)}`;
const told = (out: string) => `DEBUG cloudbaseinit.plugins.common.userdatautils [-] User_data stdout:\n${out}`;
const preflight = String.raw`b'[preflight] Running pre-flight checks\r\nerror execution phase preflight: [preflight] Some fatal errors occurred:\r\n\t[ERROR Port-10250]: Port 10250 is in use\r\n'`;

/** What cloudbase-init's log says of each way in which it ends, and the reason that is to be named; undefined: no failure. */
const ends: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ["success", [...head, runs, told(String.raw`b'This node has joined the cluster\r\n'`), ended(0), done], undefined],
  ["kubeadm's error within the literal", [...head, runs, told(preflight), ended(1), done], "PortInUse"],
  ["a restart that the script asks for", [...head, runs, ended(1003)], undefined],
  [
    "no metadata service",
    [...head, "ERROR cloudbaseinit.init [-] No metadata service found"],
    "CloudbaseInitMetadataFailed",
  ],
  [
    "a plugin's exception on a German Windows",
    [
      ...head,
      "ERROR cloudbaseinit.init [-] plugin 'SetHostNamePlugin' failed with error '[WinError 5] Zugriff verweigert'",
      "ERROR cloudbaseinit.init [-] [WinError 5] Zugriff verweigert: PermissionError: [WinError 5] Zugriff verweigert",
      "TRACE cloudbaseinit.init Traceback (most recent call last):",
      done,
    ],
    "CloudbaseInitPluginFailed",
  ],
  ["user data that never ends", [...head, runs], undefined],
];

const klog = (level: string, text: string) => `${level}0302 07:14:09.112233    1204 ${text}`;
const kubeletHead = [klog("I", 'server.go:425] "Kubelet version" kubeletVersion="v1.31.2"')];
const died = (why: string) => klog("E", `run.go:74] "command failed" err="failed to run Kubelet: ${why}"`);
const kubelets: readonly (readonly [string, readonly string[], string | undefined])[] = [
  [
    "healthy",
    [...kubeletHead, klog("I", 'kubelet_node_status.go:75] "Successfully registered node" node="w1"')],
    undefined,
  ],
  [
    "no runtime",
    [
      ...kubeletHead,
      died(
        String.raw`validate service connection: validate CRI v1 runtime API for endpoint \"npipe:////./pipe/containerd-containerd\": rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: open //./pipe/containerd-containerd: Das System kann die angegebene Datei nicht finden.\"`,
      ),
    ],
    "ContainerRuntimeNotRunning",
  ],
  [
    "a flag that is gone",
    [...kubeletHead, died("failed to parse kubelet flag: unknown flag: --network-plugin")],
    "KubeletConfigInvalid",
  ],
  [
    "a CA that is missing",
    [
      ...kubeletHead,
      died(
        String.raw`unable to load client CA file C:\\etc\\kubernetes\\pki\\ca.crt: open C:\\etc\\kubernetes\\pki\\ca.crt: Le fichier spécifié est introuvable.`,
      ),
    ],
    "PkiFileMissingOrInvalid",
  ],
  [
    "a port that is taken",
    [
      ...kubeletHead,
      died(
        "listen tcp 0.0.0.0:10250: bind: System.Net.Sockets.SocketException (10048): Normalmente sólo se permite un uso",
      ),
    ],
    "PortInUse",
  ],
  [
    "an image of another Windows",
    [
      ...kubeletHead,
      klog(
        "E",
        'pod_workers.go:1301] "Error syncing pod, skipping" err="failed to create sandbox: hcs::CreateComputeSystem 0a1b: Das Containerbetriebssystem stimmt nicht überein. (0xc0370101)"',
      ),
    ],
    "ImageOsMismatch",
  ],
];

const stamped = (lines: readonly string[]) => lines.map((line) => `2026-03-02 07:14:09.118 1204 ${line}\r\n`).join("");
const forms: readonly (readonly [string, (text: string) => Buffer])[] = [
  ["LF", (text) => Buffer.from(text.replaceAll("\r\n", "\n"))],
  ["CRLF", (text) => Buffer.from(text)],
  ["UTF-16 with a mark", (text) => Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["UTF-16 without one", (text) => Buffer.from(text, "utf16le")],
];

async function reasonOf(name: string, content: Buffer): Promise<string | undefined> {
  const place = join(folder, name);
  writeFileSync(place, content);
  const options = { format: "text", probes: false, places: [place], rules: "scripts/rules.json" } as const;
  const { text } = await runDiagnose(fakeHost({ root: "/nonexistent" }), options);
  expect(text).not.toMatch(/\\r\\n/u);
  return /^Bootstrap failed \((?<reason>\w+)\)/u.exec(text)?.groups?.["reason"];
}

test.each(forms)("a Windows log says the same in the form %s", async (_, form) => {
  const said: unknown[] = [];
  for (const [name, lines] of ends) said.push([name, await reasonOf("cloudbase-init.log", form(stamped(lines)))]);
  for (const [name, lines] of kubelets)
    said.push([name, await reasonOf("kubelet.log", form(lines.map((line) => `${line}\r\n`).join("")))]);
  expect(said).toEqual([...ends, ...kubelets].map(([name, , reason]) => [name, reason]));
});
