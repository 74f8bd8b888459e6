/** Where each command of the pages that starts the program runs to; what cannot run is named here with its reason, and nowhere else. */
export interface PlannedBlock {
  /** Begin of the block's text, enough to know it. */
  readonly begins: string;
  readonly page: string;
  /** Exit codes of the calls of `capz-bootstrap` in the block, in their order. */
  readonly exits?: readonly number[];
  /** Why the block is not run. */
  readonly cannot?: string;
}

export const pagePlan: readonly PlannedBlock[] = [
  { page: "README.md", begins: "capz-bootstrap explain FILE", exits: [0, 1, 0, 0, 1] },
  { page: "docs/attach.md", begins: "capz-bootstrap settings check", exits: [0] },
  {
    page: "docs/check-protocol.md",
    begins: "capz-bootstrap check  ",
    cannot: "looks at the machine that it runs on, and at a disk mounted beside it",
  },
  {
    page: "docs/cloned-images.md",
    begins: "capz-bootstrap prepare-image --dry-run",
    cannot: "empties the machine that it runs on",
  },
  { page: "docs/custom-script.md", begins: "capz-bootstrap settings check", exits: [0, 0, 0] },
  { page: "docs/healing.md", begins: "view=$(az vm", exits: [0] },
  { page: "docs/operations.md", begins: "az vm get-instance-view", exits: [0] },
  { page: "docs/operations.md", begins: "az vmss list-instances", exits: [0] },
  {
    page: "docs/operations.md",
    begins: "az vm run-command invoke",
    cannot: "Azure runs the quoted script on the machine",
  },
  { page: "docs/operations.md", begins: 'cd "$(ls -d /var/lib/waagent', exits: [0, 1] },
  { page: "docs/operations.md", begins: "capz-bootstrap diagnose /mnt", exits: [1] },
  { page: "docs/operations.md", begins: "printf '%s'", exits: [1] },
  { page: "docs/quick-start.md", begins: "az vm get-instance-view", exits: [0] },
  { page: "docs/quick-start.md", begins: "kubectl get azuremachine", exits: [0] },
  { page: "docs/report.md", begins: "capz-bootstrap diagnose", exits: [1, 1, 1, 1, 1, 1] },
  {
    page: "docs/vm-application.md",
    begins: "az vm run-command create",
    cannot: "Azure runs the script on the machine",
  },
];
