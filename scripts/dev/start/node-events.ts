import type { ScratchMachine } from "./scratch-machine.ts";

const finalStageProcesses = "sys/fs/cgroup/system.slice/cloud-final.service/cgroup.procs";

/** What a booting node's files say, step by step, as cloud-init and kubeadm write them. */
export function cloudInitRuns(machine: ScratchMachine): void {
  machine.write("run/cloud-init/status.json", statusJson(machine, { stage: "modules-final" }));
  machine.write("var/log/cloud-init-output.log", "Cloud-init v. 24.1.3 running 'modules:final'\n");
}

export function kubeadmRuns(machine: ScratchMachine): void {
  machine.write(
    "run/kubeadm/kubeadm-join-config.yaml",
    "apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\n",
  );
  machine.write(
    "var/log/cloud-init-output.log",
    "Cloud-init v. 24.1.3 running 'modules:final'\n[preflight] Running pre-flight checks\n",
  );
}

/** kubeadm is at work in cloud-init's last stage, and stays so. */
export function kubeadmHangs(machine: ScratchMachine): void {
  kubeadmRuns(machine);
  const started = Math.round(machine.uptime() * 100);
  machine.write(finalStageProcesses, "4242\n");
  machine.write("proc/4242/comm", "kubeadm\n");
  machine.write(
    "proc/4242/stat",
    `4242 (kubeadm) S 1 4242 4242 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 ${String(started)} 1 1\n`,
  );
}

export function kubeadmJoins(machine: ScratchMachine): void {
  machine.remove(finalStageProcesses);
  machine.remove("proc/4242");
  machine.write("etc/kubernetes/kubelet.conf", "apiVersion: v1\nkind: Config\n");
  machine.write("var/lib/kubelet/pki/kubelet-client-current.pem", "-----BEGIN CERTIFICATE-----\n");
  machine.write("run/cluster-api/bootstrap-success.complete", "success\n");
}

/** The second node's DNS of the API server is broken: the story of the bootstrap failure detection proposal. */
export function cloudInitFails(machine: ScratchMachine): void {
  machine.write(
    "var/log/cloud-init-output.log",
    [
      "Cloud-init v. 24.1.3 running 'modules:final' at Sat, 21 Nov 2026 09:14:02 +0000. Up 31.20 seconds.",
      "[preflight] Running pre-flight checks",
      'error execution phase preflight: couldn\'t validate the identity of the API Server: failed to request the cluster-info ConfigMap: Get "https://apiserver.prod-7.capz.internal:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp: lookup apiserver.prod-7.capz.internal on 10.0.0.10:53: no such host',
      "To see the stack trace of this error execute with --v=5 or higher",
      "2026-11-21 09:14:48,511 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)",
      "Cloud-init v. 24.1.3 finished at Sat, 21 Nov 2026 09:14:48 +0000. Datasource DataSourceAzure [seed=/dev/sr0].  Up 77.35 seconds",
      "",
    ].join("\n"),
  );
  const failed = "('scripts_user', RuntimeError('Runparts: 1 failures (runcmd) in 1 attempted commands'))";
  machine.write("run/cloud-init/status.json", statusJson(machine, { stage: null, errors: [failed] }));
  machine.write(
    "run/cloud-init/result.json",
    `${JSON.stringify({ v1: { datasource: "DataSourceAzure [seed=/dev/sr0]", errors: [failed] } }, undefined, 1)}\n`,
  );
}

/** As cloud-init writes it: times are seconds since the boot; `stage` is the one that runs, null after the last. */
function statusJson(
  machine: ScratchMachine,
  { stage, errors = [] }: { readonly stage: string | null; readonly errors?: readonly string[] },
): string {
  const between = (start: number, finished: number | null, failed: readonly string[] = []) => ({
    start,
    finished,
    errors: failed,
    recoverable_errors: {},
  });
  return JSON.stringify({
    v1: {
      datasource: "DataSourceAzure [seed=/dev/sr0]",
      stage,
      "init-local": between(5.1, 6.3),
      init: between(8.2, 11.7),
      "modules-config": between(13.4, 14.9),
      "modules-final": between(15.8, stage === null ? machine.uptime() : null, errors),
    },
  });
}
