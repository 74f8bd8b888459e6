import { askActivityLog, askBootLog, askBootstrapLog, askInstanceView, describeInKubernetes } from "./ask-next.ts";
import { quoted, type FoundSituation, type MachineSituation, type SituationWords, type Subject } from "./situation.ts";

type Found = Pick<FoundSituation, "subject" | "detail">;

const attach =
  "name this extension in vmExtensions of a new AzureMachineTemplate and point the MachineDeployment to it; CAPZ gives extensions to new machines only (docs/attach.md)";

const seeWhetherNode = ({ subject }: Found): string =>
  `See whether the machine is a node: kubectl get node ${subject.machine ?? "NAME"}`;

/** Not one more command on the machine: that is where the text comes from. */
const askForVerdict = (subject: Subject): string =>
  `Ask Azure for what the extension has told: ${askInstanceView(subject)}; or have the program on the machine look, "capz-bootstrap diagnose --brief" (docs/operations.md, section 3)`;

/** What to do about the launcher's complaints (bin/capz-bootstrap). */
const stepOfLauncher: readonly (readonly [RegExp, string])[] = [
  [/needs glibc/u, "Use an image with glibc 2.28 or later (spec.template.spec.image of the AzureMachineTemplate)"],
  [
    /no program for the architecture/u,
    "Use a machine size with x86_64 or aarch64 (spec.template.spec.vmSize of the AzureMachineTemplate)",
  ],
  [/cannot be run/u, "Mount the file system that holds /var/lib/waagent without noexec, in the image"],
  [
    /is missing|not unpacked completely/u,
    "See whether the disk of the machine is full (df -h /var/lib/waagent), then make the machine again",
  ],
];

/** What Azure says of a machine, in words. */
export const machineSituations: Readonly<Record<MachineSituation, (found: Found) => SituationWords>> = {
  "extension-absent": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The machine reports to Azure, but this extension is not attached to it${detail === undefined ? "" : `; attached: ${detail}`}.`,
    nextStep: `See what the machine did without it: ${askBootstrapLog(subject)}. To have the next one tell why, ${attach}`,
  }),
  "extension-starting": ({ subject, detail }) => ({
    outcome: "waiting",
    summary: `The extension is attached and has not reported yet${quoted(detail)}: the guest agent downloads and starts it, which takes a minute or two.`,
    nextStep: `Wait and ask again. If it stays so for five minutes, see what Azure says of it: ${askActivityLog(subject)}`,
  }),
  "extension-working": ({ subject }) => ({
    outcome: "waiting",
    summary: "The extension is at work and has told no stage yet.",
    nextStep: `Wait and ask again: the verdict comes when the bootstrap ends, at the latest after timeoutSeconds. What the bootstrap prints meanwhile: ${askBootstrapLog(subject)}`,
  }),
  "extension-without-words": (found) => ({
    outcome: "unknown",
    summary: `Azure says that the extension succeeded, but its status holds no verdict${quoted(found.detail)}.`,
    nextStep: seeWhetherNode(found),
  }),
  "agent-silent": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The guest agent has never reported to Azure${quoted(detail)}, so no extension can run.`,
    explanation: "The machine does not boot, its image has no guest agent, or it does not reach 168.63.129.16.",
    nextStep: `Read the serial console: ${askBootLog(subject)}`,
  }),
  "agent-not-ready": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The guest agent has reported once and does not now${quoted(detail)}; what Azure shows of extensions is as old as that.`,
    explanation: "The machine hangs, was restarted or is overloaded, or its way to 168.63.129.16 was closed.",
    nextStep: `Read what the machine says by itself, on its serial console: ${askBootLog(subject)}`,
  }),
  "machine-provisioning": ({ subject, detail }) => ({
    outcome: "waiting",
    summary: `Azure is still creating the machine${quoted(detail)}, so nothing on it can report yet.`,
    nextStep: `Wait and ask again. If it stays so for ten minutes, see what fails in Azure: ${askActivityLog(subject)}`,
  }),
  "machine-stopped": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The machine is switched off${quoted(detail)}, so nothing on it can report.`,
    nextStep: `See in the activity log who stopped it: az monitor activity-log list ${subject.id === undefined ? "--resource-group GROUP" : `--resource-id ${subject.id}`}; then start it, or delete the Machine so that a new one is made`,
  }),
  "machine-gone": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `Azure has no such machine${quoted(detail)}: it was deleted or never created, or the name or the resource group is another.`,
    nextStep: `See what the cluster still knows: ${describeInKubernetes(subject)}; where the management side is installed, kubectl get bootstrapverdicts --all-namespaces`,
  }),
  "not-permitted": ({ detail }) => ({
    outcome: "unknown",
    summary: `The question was refused: who asked is not signed in or lacks a right${quoted(detail)}. Nothing is known of the machine.`,
    nextStep:
      "Sign in (az login, az account set), or ask for the role Reader on the resource group of the cluster, then ask again; az account show says who you are",
  }),
  "azure-not-reached": ({ detail }) => ({
    outcome: "unknown",
    summary: `The question failed on the machine where it was asked${quoted(detail)}. Nothing is known of the node.`,
    nextStep:
      "Correct the command, or what keeps your own machine from Azure (DNS, HTTPS_PROXY, a proxy's certificate, VPN), until az group list answers; then ask again",
  }),
  "only-counts": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `A scale set only counts the states of its instances${quoted(detail)}.`,
    nextStep: `Ask for the instances: az vmss list-instances --expand instanceView --resource-group GROUP --name ${subject.machine ?? "SCALESET"} | capz-bootstrap explain -`,
  }),
  "only-state": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The resource tells its state only${quoted(detail)}: it was asked for without its instance view.`,
    nextStep: `Ask for the whole answer: ${askInstanceView(subject)}`,
  }),
  "old-extension-failed": ({ subject, detail }) => ({
    outcome: "failed",
    summary: `CAPZ's first extension (version 1.0 or 1.1, another program) looked for the sentinel for five minutes and did not see it${quoted(detail)}. It does not know why.`,
    nextStep: `Read the log of the bootstrap: ${askBootstrapLog(subject)}. To be told the cause next time, ${attach}`,
  }),
  "old-extension-succeeded": (found) => ({
    outcome: "unknown",
    summary:
      "CAPZ's first extension (version 1.0 or 1.1, another program) saw the sentinel, which some providers write after failed steps too.",
    nextStep: seeWhetherNode(found),
  }),
  "extension-cannot-start": ({ detail = "" }) => ({
    outcome: "unknown",
    summary: `The extension could not be started on the machine: ${detail.replace(/\.$/u, "")}.`,
    nextStep:
      stepOfLauncher.find(([words]) => words.test(detail))?.[1] ??
      "Correct on the machine or its image what this line names",
  }),
  "machine-evicted": ({ subject }) => ({
    outcome: "unknown",
    summary: "Azure has taken the machine back: it is a Spot machine, and its room was needed.",
    nextStep: `See whether a new Machine was made: ${describeInKubernetes(subject)}; for machines that must stay, leave spotVMOptions out of the AzureMachineTemplate`,
  }),
  "extension-failed": ({ subject, detail }) => ({
    outcome: "failed",
    summary: `The ${detail ?? "extension"} failed. It is not this extension, and says nothing that a rule knows.`,
    nextStep: `Read its log below /var/log/azure (Windows: C:\\WindowsAzure\\Logs\\Plugins) and what the bootstrap did: ${askBootstrapLog(subject)}`,
  }),
  "command-told-nothing": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The command was run on the machine, and what it printed holds no verdict and no failure that a rule knows${quoted(detail)}.`,
    nextStep: askForVerdict(subject),
  }),
  "command-log-ends-well": (found) => ({
    outcome: "unknown",
    summary: "The command printed a log that ends in success, and no verdict of the extension.",
    nextStep: seeWhetherNode(found),
  }),
  "command-failed": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `The command itself ended with an error, which is no verdict on the bootstrap${quoted(detail)}.`,
    nextStep: askForVerdict(subject),
  }),
};
