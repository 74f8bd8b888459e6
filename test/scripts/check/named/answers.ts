import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  scriptsError,
  userCommands,
  windows,
} from "./parts.ts";

const failedJoin = { ...cloudInitDone({ errors: [scriptsError] }), ...userCommands(joinCommands), ...joinData };
const report = (fields: unknown): string => JSON.stringify(fields);
const path = "/run/cluster-api/bootstrap-failed.json";
const expired = report({
  reason: "TokenExpired",
  message: "The join token expired.",
  next: "Make a new token.",
  retryable: true,
});

/** What a provider reports of itself, and questions without an answer. */
export const answerScenarios: readonly NamedScenario[] = [
  {
    name: "failure-reported",
    what: "The user data wrote /run/cluster-api/bootstrap-failed.json in this boot.",
    provider: "custom",
    state: "failed",
    looks: [
      {
        machine: { files: { ...cloudInitDone(), ...userCommands("/opt/join.sh"), [path]: expired } },
        verdict: "failed",
        reason: "CustomTokenExpired",
        says: "The join token expired.",
      },
    ],
  },
  {
    name: "failure-reported-half-written",
    what: "The file is just being written.",
    provider: "custom",
    state: "hung",
    looks: [
      {
        machine: { files: { ...cloudInitDone(), ...userCommands("/opt/join.sh"), [path]: '{"reason":' } },
        verdict: "waiting",
      },
    ],
  },
  {
    name: "failure-reported-then-joined",
    what: "A first attempt reported its failure, the second one joined.",
    provider: "kubeadm",
    state: "good",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(joinCommands),
            ...joinData,
            [path]: expired,
            "/run/cluster-api/bootstrap-success.complete": "success\n",
          },
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "failure-report-of-the-donor",
    what: "Windows keeps the file on its disk: a donor's does not count.",
    provider: "custom (Windows)",
    state: "cloned",
    looks: [
      {
        machine: windows({
          service: "running",
          files: { "C:\\run\\cluster-api\\bootstrap-failed.json": { text: expired, at: -90_000 } },
        }),
        verdict: "waiting",
      },
    ],
  },
  {
    name: "units-without-an-answer",
    what: "systemd does not answer: what would be a failure waits.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: { files: failedJoin, silent: ({ ask }) => ask === "units" },
        verdict: "waiting",
        stage: "check-incomplete",
        says: "units",
      },
      { machine: { files: failedJoin }, verdict: "failed", reason: "CloudInitFailed" },
    ],
  },
  {
    name: "health-without-an-answer",
    what: "Nothing tells whether the kubelet is well: the node's other proofs stand.",
    provider: "kubeadm",
    state: "no sentinel, healthy",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...userCommands("kubeadm join"), ...joinData, ...joinedNode() },
          units: kubeletActive,
          silent: ({ ask }) => ask === "healthz",
        },
        verdict: "success",
        remarks: "no answer to: healthz 10248",
      },
    ],
  },
  {
    name: "traces-without-an-answer",
    what: "The sentinel is there, and nothing tells whose it is: k0s writes its own after any failure.",
    provider: "k0s",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("k0s install worker"),
            "/etc/k0s.token": "",
            "/run/cluster-api/bootstrap-success.complete": "",
          },
          silent: (question) =>
            question.ask === "mentions" || ("path" in question && question.path === "/etc/k0s.token"),
        },
        verdict: "waiting",
        stage: "check-incomplete",
      },
    ],
  },
  {
    name: "nothing-has-an-answer",
    what: "The machine cannot be looked at.",
    provider: "kubeadm",
    state: "hung",
    looks: [{ machine: { silent: () => true }, verdict: "waiting", stage: "check-incomplete" }],
  },
];
