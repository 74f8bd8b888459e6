import type { Cause } from "../causes.ts";

/**
 * The codes with which the provisioning scripts of AKS nodes end, as "NUMBERS NAME PARTS > cause". Names are compared
 * without case and separators, so ERR_APT_INSTALL_TIMEOUT, AptInstallTimeout and aptinstalltimeout are one.
 */
const byName: readonly (readonly [RegExp, Cause])[] = [
  [/gpu|nvidia|cuda|dcgm|dradriver/u, "gpu-driver-install-failed"],
  [/dnslookupfail|dnshealth|localdns/u, "dns-resolution-failed"],
  [/apiserverconn|checkapiserverconnectivity/u, "api-server-unreachable"],
  [/outboundconn/u, "outbound-connectivity-blocked"],
  [/oraspullunauthorized|installcredentialprovider|credentialproviderconfig/u, "image-pull-auth"],
  [/imds|loadmetadata|parsemetadata/u, "imds-unreachable"],
  [/securetlsbootstrapenable|installsecuretlsbootstrap/u, "tls-bootstrap-failed"],
  [/insufficientdiskspace|resizeosdrive/u, "disk-full"],
  [/cniversion|ciliumnetworking|calicoservice/u, "cni-install-failed"],
  [/imgpull|podinfracontainer|pauseimage|imgdownload|criticloperation|ctroperation/u, "image-pull-failed"],
  [/etcdvolmount/u, "disk-mount-failed"],
  [/etcd(?:start|running|config)/u, "etcd-unhealthy"],
  [/etcddatadir/u, "datastore-failed"],
  [/apikeytimeout|aptkeytimeout|debpkgadd|gpgkey/u, "apt-repository-failed"],
  [/nopackagesfound|missingcudapackage/u, "package-not-found"],
  [
    /download|oraspull|aptinstall|aptupdate|aptdist|aptdaily|mobyaptlist|installtimeout|deb_pkg|prodeb|k8sinstall|kubeletinstall|kubectlinstall/u,
    "http-download-failed",
  ],
  [
    /dockerstart|containerdnot|containerdversion|containerdinstall|containerdbinary|getcontainerd/u,
    "container-runtime-not-running",
  ],
  [/kubeletstart/u, "kubelet-not-running"],
  // What is waited for is the whole cluster, and what keeps it is not told.
  [/k8srunning/u, "join-timeout-unknown"],
  [/modprobe/u, "kernel-unsupported"],
  [/sysctlreload/u, "preflight-kernel-params"],
  [/kubectlnotfound/u, "preflight-binary-missing"],
  [/cloudinit/u, "cloud-init-scripts-failed"],
  [/cacert|caconvert|getcacertificates/u, "pki-file-missing-or-invalid"],
  [/hns|networkadapter|managementip|subnetprefix|networkinterfaces/u, "hns-network-failed"],
];

const linuxNames: Readonly<Record<number, string>> = {
  5: "cloudinit",
  9: "aptinstall",
  10: "etcddatadir",
  11: "etcdrunning",
  12: "etcddownload",
  13: "etcdvolmount",
  14: "etcdstart",
  15: "etcdconfig",
  20: "installtimeout",
  21: "download",
  22: "gpgkey",
  23: "aptkeytimeout",
  24: "dockerstart",
  25: "mobyaptlist",
  26: "gpgkey",
  27: "installtimeout",
  28: "installtimeout",
  29: "installtimeout",
  30: "k8srunning",
  31: "download",
  32: "kubectlnotfound",
  33: "imgdownload",
  34: "kubeletstart",
  35: "imgpull",
  36: "imgpull",
  37: "imgpull",
  39: "containerdversion",
  41: "download",
  42: "prodeb",
  43: "debpkgadd",
  45: "download",
  49: "modprobe",
  50: "outboundconn",
  51: "apiserverconn",
  52: "dnslookupfail",
  53: "dnslookupfail",
  60: "gpgkey",
  61: "aptkeytimeout",
  62: "installtimeout",
  70: "download",
  71: "download",
  83: "gpu",
  84: "gpu",
  85: "gpu",
  86: "gpu",
  87: "gpu",
  98: "aptdaily",
  99: "aptupdate",
  101: "aptdist",
  103: "sysctlreload",
  117: "download",
  118: "criticloperation",
  119: "ctroperation",
  121: "kubeletinstall",
  122: "kubectlinstall",
  123: "gpu",
  129: "gpu",
  131: "insufficientdiskspace",
  152: "download",
  160: "caconvert",
  161: "cacert",
  169: "download",
  201: "nopackagesfound",
  204: "k8sinstall",
  205: "download",
  206: "cniversion",
  207: "oraspull",
  208: "oraspull",
  210: "imds",
  211: "oraspull",
  212: "oraspullunauthorized",
  215: "dnshealth",
  216: "localdns",
  217: "localdns",
  218: "localdns",
  219: "localdns",
  220: "securetlsbootstrapenable",
  223: "cloudinit",
  224: "nvidia",
  225: "nvidia",
  226: "nvidia",
  227: "nvidia",
  228: "nvidia",
  229: "nvidia",
  231: "oraspull",
  233: "podinfracontainer",
  234: "imds",
  235: "nvidia",
  241: "download",
};

const named = /\b(?:ERR_|WINDOWS_CSE_ERROR_|(?:linux|windows|vmss)?cse(?:error)?[:_-]?)(?<name>\w{5,80})\b/iu;
const numbered = /exit ?(?:status|code)\\?"?[ =:]{1,3}\\?"?(?<number>\d{1,3})\b/iu;
const spoken = /\b(?<name>(?:[A-Z][a-z\d]*|K8S|API|DNS|GPU|CNI){3,10}(?:Fail(?:ed)?|Timeout|Error|Exist|Found))\b/u;

/** The cause that the code of an AKS provisioning script stands for; undefined where the message has none that is known. */
export function aksCause(message: string): Cause | undefined {
  const name = named.exec(message)?.groups?.["name"] ?? spoken.exec(message)?.groups?.["name"];
  const cause = name === undefined ? undefined : causeOfName(name);
  if (cause !== undefined) return cause;
  const number = Number(numbered.exec(message)?.groups?.["number"]);
  const known = linuxNames[number];
  return known === undefined || !/vmssCSE|cse|CustomScript|aks|opt\/azure\/containers/iu.test(message)
    ? undefined
    : causeOfName(known);
}

function causeOfName(name: string): Cause | undefined {
  const plain = name.replaceAll("_", "").toLowerCase();
  return byName.find(([pattern]) => pattern.test(plain))?.[1];
}
