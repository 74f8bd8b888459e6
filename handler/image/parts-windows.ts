import { clear, remove, sharedParts, type ImagePart } from "./image-part.ts";

const handlerFolder = "C:\\Packages\\Plugins\\*.CAPZ.Windows.Bootstrapping\\*";
const cloudbaseInit = "C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init";

/** What a Windows machine carries that its clones must not; the twins of parts-linux.ts, by the same names. */
export const windowsParts: readonly ImagePart[] = [
  {
    ...sharedParts.ownState,
    targets: clear("C:\\ProgramData\\capz-bootstrap"),
    services: [],
  },
  {
    ...sharedParts.handlerFolders,
    targets: remove(
      `${handlerFolder}\\mrseq`,
      `${handlerFolder}\\.capz-*`,
      `${handlerFolder}\\Status\\*.status`,
      `${handlerFolder}\\RuntimeSettings\\*.settings`,
    ),
    services: [],
  },
  {
    ...sharedParts.sentinels,
    targets: remove(
      "C:\\run\\cluster-api\\bootstrap-success.complete",
      "C:\\run\\cluster-api\\bootstrap-failed.json",
      "C:\\etc\\cluster-api\\bootstrap-success.complete",
    ),
    services: [],
  },
  {
    ...sharedParts.nodeIdentity,
    targets: [
      ...remove("C:\\etc\\kubernetes\\kubelet.conf", "C:\\etc\\kubernetes\\bootstrap-kubelet.conf"),
      ...clear("C:\\var\\lib\\kubelet\\pki", "C:\\var\\lib\\k0s\\kubelet\\pki"),
      ...remove("C:\\var\\lib\\k0s\\kubelet.conf"),
    ],
    services: ["kubelet", "k0sworker"],
  },
  {
    name: "kubeadm-leftovers",
    what: "what kubeadm wrote: its configuration, static pods, the cluster's keys, administrators' kubeconfigs",
    when: "asked",
    targets: [
      ...remove("C:\\run\\kubeadm", "C:\\etc\\kubernetes\\*.conf", "C:\\var\\lib\\kubelet\\config.yaml"),
      ...remove("C:\\var\\lib\\kubelet\\kubeadm-flags.env", "C:\\var\\lib\\kubelet\\instance-config.yaml"),
      ...clear("C:\\etc\\kubernetes\\manifests", "C:\\etc\\kubernetes\\pki"),
    ],
    services: ["kubelet"],
  },
  {
    name: "instance-data",
    what: "what cloudbase-init keeps of this instance: which plugins have run, its logs with the output of the user data",
    when: "asked",
    targets: [
      { kind: "registry", key: "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init" },
      ...remove(`${cloudbaseInit}\\log\\*.log*`, "C:\\bootstrap.log", "C:\\bootstrap"),
    ],
    services: [],
  },
  { name: "machine-id", what: "the machine id; Sysprep makes a new one", when: "asked", targets: [], services: [] },
  {
    name: "journals",
    what: "event logs, and the logs and reports of this extension",
    when: "asked",
    targets: [
      ...["Application", "System"].map((log) => ({ kind: "event-log", log }) as const),
      ...clear("C:\\WindowsAzure\\Logs\\Plugins\\*.CAPZ.Windows.Bootstrapping"),
    ],
    services: [],
  },
  {
    ...sharedParts.shellHistory,
    targets: remove("C:\\Users\\*\\AppData\\Roaming\\Microsoft\\Windows\\PowerShell\\PSReadLine\\*_history.txt"),
    services: [],
  },
];
