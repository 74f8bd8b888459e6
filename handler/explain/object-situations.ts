import { askInstanceView } from "./ask-next.ts";
import { quoted, type FoundSituation, type ObjectSituation, type SituationWords, type Subject } from "./situation.ts";

type Found = Pick<FoundSituation, "subject" | "detail">;

/** What an object of Kubernetes says of a machine, in words. */
export const objectSituations: Readonly<Record<ObjectSituation, (found: Found) => SituationWords>> = {
  "cluster-not-reached": ({ detail }) => ({
    outcome: "unknown",
    summary: `kubectl on the machine where it was asked got no answer${quoted(detail)}. Nothing is known of the node.`,
    nextStep:
      "See which cluster kubectl asks (kubectl config view --minify), give it the kubeconfig of the management cluster or correct the way there (DNS, proxy, VPN), and ask again; if the line is from a node, give its whole log to capz-bootstrap diagnose",
  }),
  "cluster-refused": ({ detail }) => ({
    outcome: "unknown",
    summary: `Kubernetes refused the question: who asked is not known to it or lacks a right${quoted(detail)}. Nothing is known of the node.`,
    nextStep:
      "See who you are to it (kubectl auth whoami), take a context that may read these objects (kubectl config get-contexts) or ask for the right that is named, and ask again",
  }),
  "object-gone": () => ({
    outcome: "unknown",
    summary: "The cluster has no such object: it was deleted, or the name or the namespace is another.",
    nextStep:
      "See what was told of it: kubectl get events --all-namespaces --output yaml | capz-bootstrap explain -; where the management side is installed, kubectl get bootstrapverdicts --all-namespaces",
  }),
  "waiting-for-bootstrap-data": ({ subject, detail }) => ({
    outcome: "waiting",
    summary: `The machine is not created yet: CAPZ waits for its bootstrap data${quoted(detail)}.`,
    nextStep: `See what keeps the bootstrap provider: kubectl get kubeadmconfigs${inNamespace(subject)} --output wide; a worker waits until the first control plane machine is up`,
  }),
  "waiting-for-machine": ({ subject, detail }) => ({
    outcome: "waiting",
    summary: `CAPZ waits until Azure has made the machine${quoted(detail)}.`,
    nextStep: `Wait and ask again. If it stays so for ten minutes, ask Azure: ${askInstanceView(subject)}`,
  }),
  "condition-in-progress": ({ subject }) => ({
    outcome: "waiting",
    summary: "CAPZ waits for an extension of the machine; how far that is stands in Azure only.",
    nextStep: `Ask Azure for the stage: ${askInstanceView(subject)}`,
  }),
  "condition-reset": ({ subject }) => ({
    outcome: "unknown",
    summary:
      "BootstrapSucceeded is True, which is no proof: CAPZ sets it to True at the next reconcile after a failure too.",
    nextStep: `Ask Azure, which keeps the verdict: ${askInstanceView(subject)}`,
  }),
  "condition-without-cause": ({ subject, detail }) => ({
    outcome: "failed",
    summary: `An extension of the machine failed${quoted(detail)}; this text never holds the cause.`,
    nextStep: `Ask Azure for the cause: ${askInstanceView(subject)}`,
  }),
  "condition-absent": ({ subject, detail }) => ({
    outcome: "unknown",
    summary: `No condition of the object is about the bootstrap${quoted(detail)}.`,
    nextStep: `Ask Azure: ${askInstanceView(subject)}`,
  }),
};

function inNamespace({ namespace }: Subject): string {
  return namespace === undefined ? "" : ` --namespace ${namespace}`;
}
