/** What differs in the help of `diagnose`: the client is on no node, so it reads copied logs alone, and no probe is run. */
export interface DiagnoseWords {
  readonly about: string;
  /** What is read where no place is named. */
  readonly standard: string;
  readonly noProbes: string;
}

export const onTheNode: DiagnoseWords = {
  about: "say why this machine, or each machine whose logs are named, failed to bootstrap",
  standard: "this machine",
  noProbes: "do not test DNS, network and resources of this machine",
};

export const overCopies: DiagnoseWords = {
  about: "say why each machine whose copied logs are named failed to bootstrap",
  standard: "the current folder",
  noProbes: "as on a node; here no probe is run anyway",
};
