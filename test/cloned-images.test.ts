import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { active, certificateFor, lookAt, type MachineShape } from "./scripts/check/machine-of.ts";
import { cloneScenarios } from "./scripts/check/named/clones.ts";
import {
  cloudbaseRun,
  cloudInitDone,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  line,
  userCommands,
  windows,
  windowsJoinData,
  windowsSentinel,
} from "./scripts/check/named/parts.ts";

const project = join(import.meta.dirname, "..");
const page = readFileSync(join(project, "docs/cloned-images.md"), "utf8");

/** What proves a row: the behaviour itself, or a test of that name in that file, which runs in `npm test`. */
type Proof = (() => void) | readonly [file: string, name: string];

const emptyUserData = { "/var/lib/cloud/instance/user-data.txt": { text: "#cloud-config\n", at: 20 } };
const clone = (more: MachineShape): MachineShape => ({
  ...more,
  files: { ...cloudInitDone(), ...emptyUserData, ...more.files },
});
const verdictOf = (shape: MachineShape): string => lookAt(shape).verdict;

/** A day before this boot. */
const ofDonor = -90_000;
const donorsNode = (certificate: object): NonNullable<MachineShape["files"]> => ({
  "/etc/kubernetes/kubelet.conf": { text: "", at: ofDonor },
  "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: ofDonor, ...certificate },
});

/** Each row of the page's first table, by the begin of its first cell. */
const rows: Readonly<Record<string, readonly Proof[]>> = {
  "Its own state": [
    [
      "test/handler/operations/agent/decide-enable.test.ts",
      "captured image: state, mrseq and a good status of another VM count for nothing",
    ],
    ["test/handler/state/run-state.test.ts", "a state belongs to the machine whose id it bears"],
  ],
  "`mrseq` and old files": [
    [
      "test/handler/operations/agent/decide-enable.test.ts",
      "begins when the agent copied mrseq and status but our private state is gone",
    ],
  ],
  "Windows: `C:\\run": [
    () => {
      const log = cloudbaseRun(10, { lines: [line(15, "Plugin 'UserDataPlugin' execution already done, skipping")] });
      const machine = (at: number) =>
        windows({
          log,
          files: { ...windowsJoinData, [windowsSentinel]: { text: "success \r\n", at } },
          plugins: { "vm-1": "1" },
          kubelet: "stopped",
          installAt: -100,
        });
      expect(verdictOf(machine(ofDonor))).not.toBe("bootstrapped");
      expect(verdictOf(machine(60))).toBe("bootstrapped");
    },
  ],
  "Linux: `/etc/cluster-api": [
    () => {
      const files = { ...userCommands(joinCommands), ...joinData };
      const sentinel = { "/etc/cluster-api/bootstrap-success.complete": { text: "success\n", at: 60 } };
      const without = lookAt(clone({ files }));
      expect(lookAt(clone({ files: { ...files, ...sentinel } }))).toEqual(without);
      expect(without.verdict).not.toBe("bootstrapped");
    },
  ],
  "`cloud-init-output.log`": [
    [
      "test/handler/diagnosis/collect-evidence.test.ts",
      "what another machine wrote before this one first booted is left out",
    ],
    [
      "test/handler/diagnosis/collect-evidence.test.ts",
      "a live machine's journals are read by unit, this boot only, and then no syslog",
    ],
  ],
  "A `kubelet.conf`": [
    () => {
      const units = { "kubelet.service": active };
      expect(verdictOf(clone({ files: donorsNode({}), units }))).toBe("bootstrapped");
      expect(verdictOf(clone({ files: donorsNode(certificateFor("node-1", { to: -1 })), units }))).not.toBe(
        "bootstrapped",
      );
      expect(verdictOf(clone({ files: donorsNode({}), units: {} }))).not.toBe("bootstrapped");
    },
    () => {
      // User data that bootstraps, and no certificate that is newer than it: the donor's proves nothing.
      const files = { ...userCommands(joinCommands), ...joinData, ...joinedNode("node-1", ofDonor) };
      expect(verdictOf({ files: { ...cloudInitDone(), ...files }, units: kubeletActive })).not.toBe("bootstrapped");
    },
  ],
  "Files of another bootstrap provider": [
    () => {
      expectScenarios(["leftovers-of-rke2-beside-kubeadm", "leftovers-of-k3s-beside-a-failed-kubeadm"]);
    },
  ],
};

const table = page.slice(0, page.indexOf("A clone that needs no bootstrap"));
const firstCells = [...table.matchAll(/^\| (?<cell>[^|]+)\|/gmu)]
  .map(({ groups }) => (groups?.["cell"] ?? "").trim())
  .filter((cell) => cell !== "What the image may carry" && !cell.startsWith("---"));

test("each row of the page has its proofs here, and none is left over", () => {
  expect(firstCells.map((cell) => Object.keys(rows).filter((key) => cell.startsWith(key)).length)).toEqual(
    firstCells.map(() => 1),
  );
  expect(Object.keys(rows)).toHaveLength(firstCells.length);
});

test.each(Object.entries(rows))("%s: what the page says is so", (_, proofs) => {
  for (const proof of proofs) {
    if (typeof proof === "function") proof();
    else expectTest(...proof);
  }
});

test("a clone that needs no bootstrap is a good node without a success file; one that cannot come up fails with a reason", () => {
  expectScenarios([
    "clone-without-flags-file",
    "clone-of-aks-engine-node-auto",
    "clone-with-the-donor's-name-while-joining",
  ]);
});

test("a kubelet that runs and answers badly is no proof; one whose health address tells nothing is", () => {
  const node = (healthz: NonNullable<MachineShape["healthz"]>) =>
    verdictOf(clone({ files: donorsNode({}), units: { "kubelet.service": active }, healthz }));
  expect(node({ kind: "no-answer" })).toBe("bootstrapped");
  expect(node({ kind: "status", status: 500 })).not.toBe("bootstrapped");
  expect(node({ kind: "refused" })).not.toBe("bootstrapped");
});

test("a donor that was captured in mid-bootstrap: its clone has a foreign identity", () => {
  const files = { "/etc/kubernetes/kubelet.conf": { text: "", at: ofDonor } };
  expect(lookAt(clone({ files, units: { "kubelet.service": active } }))).toMatchObject({
    verdict: "failed",
    reason: "ForeignNodeIdentity",
  });
});

test("without cloud-init nothing tells a clone from a node that is named otherwise: the check waits and names the certificate", () => {
  const files = donorsNode(certificateFor("donor-7"));
  const answer = lookAt({ files, units: { "kubelet.service": active } });
  expect(answer).toMatchObject({ verdict: "not-yet", message: expect.stringContaining("donor-7") });
});

/** They are judged in test/scripts/check/named.test.ts. */
function expectScenarios(names: readonly string[]): void {
  const known = cloneScenarios.map(({ name }) => name);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
}

function expectTest(file: string, name: string): void {
  const path = join(project, file);
  expect(existsSync(path) ? readFileSync(path, "utf8") : "").toContain(`test("${name}"`);
}
