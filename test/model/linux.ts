import { bootCloudInit } from "./cloud-init.ts";
import { bootService } from "./distributions.ts";
import type { Provider } from "./history.ts";
import { bootIgnition } from "./ignition.ts";
import { bootKubelet, startKubelet } from "./kubelet.ts";
import type { Machine, SystemModel } from "./machine.ts";

/** Linux on Azure: what an image holds, and what each boot starts. */
export const linux: SystemModel = {
  boot(machine: Machine): void {
    machine.tell(`${machine.hostName} boots${machine.boots > 1 ? " again" : ""}`);
    machine.write("/proc/sys/kernel/random/boot_id", `${machine.bootId}\n`);
    machine.write("/proc/sys/kernel/hostname", `${machine.hostName}\n`);
    machine.write("/proc/stat", `btime ${String(Math.round(machine.wallMs / 1_000))}\n`);
    machine.write("/proc/cmdline", "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1\n");
    machine.write("/sys/class/dmi/id/product_uuid", `${machine.vmId}\n`);
    machine.files.makeFolder("/run/systemd/system", machine.wallMs);
    if (machine.life.provider === "kubeadm-ignition") bootIgnition(machine);
    else bootCloudInit(machine);
    if (machine.image.sharedIdentity && machine.membership !== undefined) {
      machine.start("kubelet start", false, function* () {
        yield machine.about(6_000);
        startKubelet(machine);
      });
    } else {
      bootKubelet(machine);
    }
    bootService(machine);
  },
};

/** Lays out the image before its first boot, with times of the day it was built. */
export function layOutLinuxImage(machine: Machine): void {
  const built = machine.trueMs - 20 * 86_400_000;
  const put = (path: string, text = ""): void => {
    machine.files.write(path, text, built);
  };
  put("/etc/os-release", "ID=ubuntu\n");
  put("/etc/machine-id", "");
  put("/usr/bin/kubeadm");
  put("/usr/bin/kubelet");
  put("/usr/lib/systemd/system/kubelet.service", "[Service]\n");
  put("/etc/systemd/system/kubelet.service.d/10-kubeadm.conf", "[Service]\n");
  if (machine.image.cloudInit !== "absent") {
    put("/usr/bin/cloud-init");
    put("/etc/cloud/cloud.cfg", "datasource_list: [ Azure ]\n");
  }
  if (machine.image.sharedIdentity) putSharedIdentity(machine, put, built);
  if (machine.image.cloudInit === "disabled") put("/etc/cloud/cloud-init.disabled");
  for (const provider of machine.image.leftovers) putLeftovers(provider, put);
  if (machine.image.builderTraces) {
    put("/var/lib/cloud/instances/b0b0b0b0-0000-0000-0000-000000000001/sem/config_scripts_user", "812: 1700000000\n");
    put("/var/lib/cloud/instances/b0b0b0b0-0000-0000-0000-000000000001/datasource", "DataSourceAzure\n");
    put("/var/lib/cloud/data/instance-id", "b0b0b0b0-0000-0000-0000-000000000001\n");
    put(
      "/var/log/cloud-init-output.log",
      "error execution phase preflight: [preflight] Some fatal errors occurred:\nCloud-init v. 24.1.3 finished at Thu, 01 Jan 2026 00:00:00 +0000. Datasource DataSourceAzure.  Up 40 seconds\n",
    );
  }
}

/** The layout of clusters whose nodes share one client certificate: whatever is cloned from them is a node by itself. */
function putSharedIdentity(machine: Machine, put: Put, built: number): void {
  put("/var/lib/kubelet/kubeconfig", "apiVersion: v1\nkind: Config\n");
  put("/etc/kubernetes/certs/ca.crt", "-----BEGIN CERTIFICATE-----\n");
  const certificate = {
    commonName: "client",
    organizations: ["system:masters"],
    issuer: "CN=ca",
    notBeforeMs: built - 86_400_000,
    notAfterMs: built + 2 * 365 * 86_400_000,
  };
  const path = "/etc/kubernetes/certs/client.crt";
  machine.files.write(path, { text: "-----BEGIN CERTIFICATE-----\n", certificate }, built);
  machine.membership = {
    vmId: "",
    nodeName: "",
    complete: true,
    failureOnDisk: false,
    shared: true,
    byBootstrap: false,
    bootId: "",
    runsIn: "kubelet.service",
    certificate: path,
  };
}

type Put = (path: string, text?: string) => void;

/** What an image may hold of a provider without ever having been a node: its programs, settings and services. */
function putLeftovers(provider: Provider, put: Put): void {
  switch (provider) {
    case "kubeadm":
      put("/var/lib/kubelet/kubeadm-flags.env", 'KUBELET_KUBEADM_ARGS=""\n');
      break;
    case "kubeadm-ignition":
      break;
    case "rke2":
    case "k3s":
      put(`/etc/rancher/${provider}/config.yaml`, "# image default\n");
      put(`/usr/local/bin/${provider}`);
      break;
    case "k0s":
      put("/usr/local/bin/k0s");
      put("/etc/k0s/k0s.yaml");
      break;
    case "microk8s":
      put("/capi-scripts/00-install-microk8s.sh");
      break;
    case "canonical-kubernetes":
      put("/capi/scripts/install.sh");
      break;
  }
}
