import AdmZip from "adm-zip";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { stringify } from "yaml";
import type { Diagnosis } from "../../handler/diagnosis/diagnosis.ts";
import type { Shown } from "../../handler/text/shown-text.ts";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import type { Verdict } from "../../handler/verdict/verdict.ts";
import { cloudInitFails } from "../../scripts/dev/start/node-events.ts";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { createScratchMachine } from "../../scripts/dev/start/scratch-machine.ts";
import { makeTgz } from "../handler/copies/make-tar.ts";
import { failedVerdict, passedVerdict } from "../support/verdict-samples.ts";

interface PageRun {
  readonly output: string;
  /** Exit codes of the program, in the order of its calls. */
  readonly exits: readonly number[];
}

/** A machine that failed to join, the unpacked package, and stand-ins for the tools that need Azure or a cluster. */
export interface PageMachine {
  readonly root: string;
  run(block: string): PageRun;
  /** From now on `capz-bootstrap` is what the page's own `npm install` leaves, made from this archive. */
  useClient(archive: string): void;
  /** Copied logs of a machine whose join failed because this name has no address. */
  putFailure(folder: string, host: string): void;
  /** A second package, `broken`, one of whose files is only half there. */
  breakPackage(file: string): void;
  /** The same without one of its files. */
  losePart(file: string): void;
  discard(): void;
}

const handler = "var/lib/waagent/Example.ClusterApi.CAPZ.Linux.Bootstrapping-1.0.0";
const logOfFailure = `Cloud-init v. 25.1.4 running 'modules:final' at Sat, 21 Nov 2026 09:14:02 +0000. Up 31.20 seconds.
[2026-11-21 09:14:05] [preflight] Running pre-flight checks
[2026-11-21 09:15:10] error execution phase preflight: couldn't validate the identity of the API Server: failed to request the cluster-info ConfigMap: Get "https://api.prod.internal:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp: lookup api.prod.internal on 10.0.0.10:53: no such host
[2026-11-21 09:15:10] To see the stack trace of this error execute with --v=5 or higher
`;

/** The name in the quick start, whose machine the instance view and the AzureMachine are of. */
const controlPlane = "workload-apiserver.internal";

const timelineOfSuccess: Verdict["timeline"] = [
  { time: "2026-01-31T11:59:52Z", seconds: -8, event: "the machine booted" },
  { time: "2026-01-31T12:00:00Z", seconds: 0, stage: "cloud-init", event: "the wait began" },
  { time: "2026-01-31T12:01:01Z", seconds: 61, stage: "kubelet", event: "bootstrapped" },
];

const diagnosedSchema = v.looseObject({ diagnosis: v.looseObject({ kind: v.literal("classified") }) });

/** What `diagnose --json` found, as the part of a verdict that it is. */
function asDiagnosed(report: unknown): NonNullable<Verdict["diagnosis"]> {
  const { diagnosis } = v.parse(diagnosedSchema, report);
  return { diagnosis: diagnosis as unknown as Shown<Diagnosis>, evidence: [], probes: [] };
}

export function createPageMachine(): PageMachine {
  const machine = createScratchMachine();
  cloudInitFails(machine);
  const { root } = machine;
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  new AdmZip(packageForHost().zip).extractAllTo(join(root, handler), true, true);
  const launcher = join(root, handler, "bin/capz-bootstrap");
  chmodSync(launcher, 0o755);
  for (const logs of ["var/log", "mnt/sysroot/var/log", "mnt/copied-disk/var/log", "copied-var-log"])
    put(`${logs}/cloud-init-output.log`, logOfFailure);
  put("serial-console.txt", `[    0.000000] Linux version 6.8.0\n${logOfFailure}`);
  writeFileSync(join(root, "logs.tgz"), makeTgz([{ name: "node-1/cloud-init-output.log", content: logOfFailure }]));
  for (const name of ["settings.json", "FILE-of-settings"])
    put(name, '{"timeoutSeconds": "60", "aftercareSeconds": "0"}');
  const manifest = (path: string) => readFileSync(join(import.meta.dirname, "../../manifests", path), "utf8");
  put("template.json", manifest("arm/vm-extension.json"));
  put("cluster.yaml", manifest("capz/linux-worker.yaml"));
  put("3.settings", '{"runtimeSettings":[{"handlerSettings":{"publicSettings":{"timeoutSeconds":"300"}}}]}');
  put("diagnosed/var/log/cloud-init-output.log", logOfFailure.replaceAll("api.prod.internal", controlPlane));
  const diagnosed = spawnSync(launcher, ["diagnose", "--root", join(root, "diagnosed"), "--no-probes", "--json"], {
    encoding: "utf8",
  });
  const status = verdictStatus(failedVerdict({ diagnosis: asDiagnosed(JSON.parse(diagnosed.stdout)) }));
  const view = instanceView(status.message, status.substatuses);
  // As az answers: the view of a VM has its name, and the VM its id.
  put("view.json", JSON.stringify({ name: "workload-md-0-7xk2p", vmId: failedVerdict().vmId, ...view }));
  const passed = passedVerdict({ timeline: timelineOfSuccess });
  Reflect.deleteProperty(passed, "reportFile");
  const good = verdictStatus(passed);
  put(
    "good-view.json",
    JSON.stringify({ name: "workload-md-0-7xk2p", ...instanceView(good.message, good.substatuses, "succeeded/0") }),
  );
  put("list.json", JSON.stringify([{ instanceId: "0", name: "workload-mp-0_0", instanceView: view }]));
  put("machine.yaml", stringify(azureMachine(status.message)));
  put(
    "tools/az",
    `#!/bin/sh\ncase "$*" in *list-instances*) cat ${root}/list.json ;; *) cat ${root}/view.json ;; esac\n`,
    0o755,
  );
  put("tools/kubectl", `#!/bin/sh\ncase "$*" in *yaml*) cat ${root}/machine.yaml ;; esac\n`, 0o755);
  put(
    "tools/capz-bootstrap",
    `#!/bin/sh\n"${launcher}" "$@"\ncode=$?\necho $code >>${root}/exits\nexit $code\n`,
    0o755,
  );
  const losePart = (file: string) => {
    rmSync(join(root, "broken"), { recursive: true, force: true });
    // Links, not copies: the runtime is large.
    spawnSync("cp", ["-al", join(root, handler), join(root, "broken")]);
    rmSync(join(root, "broken/lib", file));
  };
  return {
    root,
    run(block) {
      // Its clock stands still otherwise: on a busy computer the files of this boot would look older than the boot.
      machine.tick();
      return runBlock(root, block);
    },
    useClient(archive) {
      const address = "https://*/capz-bootstrap.tgz";
      const real = `PATH="${dirname(process.execPath)}:${process.env["PATH"] ?? ""}" HOME=${root}`;
      // The address is nobody's; everything else of the command is npm's own.
      const play = (name: string, more: string) => {
        const words = `for word do shift; case "$word" in ${address}) word=file:${archive} ;; esac; set -- "$@" "$word"; done`;
        put(`tools/${name}`, `#!/bin/sh\n${words}\n${real} exec ${name} --offline ${more} "$@"\n`, 0o755);
      };
      play("npm", `--prefix ${root}/npm --no-audit --no-fund`);
      play("npx", "");
      put(
        "tools/capz-bootstrap",
        `#!/bin/sh\nPATH="${dirname(process.execPath)}:$PATH" "${root}/npm/bin/capz-bootstrap" "$@"\ncode=$?\necho $code >>${root}/exits\nexit $code\n`,
        0o755,
      );
    },
    putFailure(folder, host) {
      put(`${folder}/var/log/cloud-init-output.log`, logOfFailure.replaceAll("api.prod.internal", host));
    },
    losePart,
    breakPackage(file) {
      losePart(file);
      put(`broken/lib/${file}`, 'throw new Error("half a file");\n');
    },
    discard() {
      machine.discard();
    },
  };
}

/** Runs a block as the page shows it; only the places on the machine are those below the scratch root. */
function runBlock(root: string, block: string): PageRun {
  rmSync(join(root, "exits"), { force: true });
  const placed = block
    .replaceAll(/(?<=^|[\s'>])\/(?=mnt|tmp|var\/lib\/waagent|var\/log)/gmu, `${root}/`)
    .replaceAll("--settings FILE", "--settings settings.json")
    .replaceAll("check FILE", "check settings.json")
    .replaceAll("explain FILE", "explain view.json")
    .replaceAll("reason NAME", "reason DnsResolutionFailed")
    .replaceAll(/(?<![\w/-])bin\/capz-bootstrap/gu, "capz-bootstrap");
  mkdirSync(join(root, "tmp"), { recursive: true });
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", placed], {
    cwd: root,
    encoding: "utf8",
    timeout: 170_000,
    env: {
      PATH: `${join(root, "tools")}:${process.env["PATH"] ?? ""}`,
      CAPZ_BOOTSTRAP_ROOT: root,
      VM_ID: "vm",
      MACHINE: "workload-md-0-7xk2p",
    },
  });
  const exits = existsSync(join(root, "exits")) ? readFileSync(join(root, "exits"), "utf8").trim().split("\n") : [];
  return { output: `${stdout}${stderr}`, exits: exits.map(Number) };
}

function instanceView(
  message: string,
  substatuses: readonly { readonly name: string; readonly message: string }[],
  state = "failed/10",
) {
  return {
    extensions: [
      {
        name: "CAPZ.Linux.Bootstrapping",
        type: "Example.ClusterApi.CAPZ.Linux.Bootstrapping",
        typeHandlerVersion: "1.0.0",
        statuses: [
          {
            code: `ProvisioningState/${state}`,
            level: state.startsWith("failed") ? "Error" : "Info",
            displayStatus: `Provisioning ${state.split("/")[0] ?? ""}`,
            message,
          },
        ],
        substatuses: substatuses.map(({ name, message: text }) => ({
          code: `ComponentStatus/${name}/succeeded`,
          level: "Info",
          displayStatus: "Provisioning succeeded",
          message: text,
        })),
      },
    ],
  };
}

function azureMachine(message: string) {
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachine",
    metadata: { name: "workload-md-0-7xk2p", namespace: "default" },
    status: {
      conditions: [
        { type: "BootstrapSucceeded", status: "False", severity: "Error", reason: "BootstrapFailed", message },
      ],
    },
  };
}
