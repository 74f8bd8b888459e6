/** One kind of fault: what the trials do, how many there are, and which test file holds them. */
export interface PlannedFault {
  readonly fault: string;
  readonly trial: string;
  readonly tries: number;
  readonly file: string;
  /** Parts of the test machine without which the trials are skipped. */
  readonly needs?: "root" | "strace";
}

const kill = "test/lanes/kill.test.ts";
const processes = "test/lanes/faults-processes.test.ts";
const disk = "test/lanes/faults-disk.test.ts";
const denied = "test/faults/denied.test.ts";
const hostile = "test/faults/hostile.test.ts";
const links = "test/faults/links.test.ts";
const surroundings = "test/faults/surroundings.test.ts";

/** docs/reliability.md shows these rows, and the tests make exactly as many trials and lose none. */
export const faultPlan = {
  killAny: {
    fault: "kill -9 of supervisor and guardian",
    trial: "At a random moment of the run, then `enable` again; never two checks at a time",
    tries: 200,
    file: kill,
  },
  twoEnables: {
    fault: "Two `enable` at once",
    trial: "Of one version, in the same moment; never two supervisors",
    tries: 200,
    file: kill,
  },
  killSupervisor: {
    fault: "kill -9 of the supervisor alone",
    trial: "At a random moment of the wait; nobody calls `enable` again",
    tries: 5,
    file: processes,
  },
  killEnable: {
    fault: "kill -9 of `enable` itself",
    trial: "At a random moment within its run, then `enable` again",
    tries: 25,
    file: processes,
  },
  terminateAll: {
    fault: "SIGTERM to all our processes at once",
    trial: "As at a shutdown, in mid-wait, then `enable` again",
    tries: 5,
    file: processes,
  },
  freeze: {
    fault: "Frozen process",
    trial:
      "SIGSTOP to the supervisor at random moments, SIGCONT half a second later, as on a host that pauses the machine",
    tries: 5,
    file: processes,
  },
  outOfMemoryCheck: {
    fault: "No memory: the kernel kills the check",
    trial: "Everything of ours in a control group with 400 MB; the check takes more",
    tries: 2,
    file: processes,
    needs: "root",
  },
  outOfMemorySupervisor: {
    fault: "No memory: the kernel kills the supervisor",
    trial: "The supervisor in a control group that another process fills up, in mid-wait",
    tries: 2,
    file: processes,
    needs: "root",
  },
  forks: {
    fault: "Check that forks without end",
    trial: "200 children in sessions of their own, then the time limit, new settings, or `disable`; no child is left",
    tries: 3,
    file: processes,
  },
  twoVersions: {
    fault: "Two versions at once",
    trial: "`enable` of two installed versions in the same moment, then `enable` of the newer one",
    tries: 10,
    file: processes,
  },
  powerCut: {
    fault: "Power cut with lost writes",
    trial:
      "Everything killed in mid-wait; state, `mrseq`, lock or status empty, gone, cut in half or full of NULs; new boot id; `enable` again",
    tries: 20,
    file: disk,
  },
  powerCutAfterVerdict: {
    fault: "Power cut after the verdict, with lost writes",
    trial: "The same damage after the verdict was written",
    tries: 20,
    file: disk,
  },
  fullDisk: {
    fault: "Full disk",
    trial:
      "Status, state or log folder on a full file system, from the start or in mid-wait; later space is free again",
    tries: 6,
    file: disk,
    needs: "root",
  },
  noInodes: {
    fault: "No inodes",
    trial: "The same three folders without a free inode",
    tries: 6,
    file: disk,
    needs: "root",
  },
  readOnlyDisk: {
    fault: "Read-only file system",
    trial: "The same three folders remounted read-only, from the start; the status folder also in mid-wait",
    tries: 4,
    file: disk,
    needs: "root",
  },
  slowDisk: {
    fault: "Slow disk",
    trial: "Every flush takes 300 ms longer and every rename 100 ms (strace injects the delay)",
    tries: 2,
    file: disk,
    needs: "strace",
  },
  diskErrors: {
    fault: "Disk that fails now and then",
    trial: "Every third flush or every fourth rename ends with EIO (strace injects the error)",
    tries: 2,
    file: disk,
    needs: "strace",
  },
  denied: {
    fault: "Access denied",
    trial: "The handler runs as a user that may not use its status, state, log, config or events folder",
    tries: 5,
    file: denied,
    needs: "root",
  },
  clockJump: {
    fault: "Clock jumps",
    trial: "The wall clock jumps by years, forwards and backwards, at every reading, over a whole run",
    tries: 4,
    file: surroundings,
  },
  noOpenssl: {
    fault: "No openssl",
    trial: "Protected settings on a machine without the program",
    tries: 1,
    file: surroundings,
  },
  noNetwork: {
    fault: "No network",
    trial: "The check bundle lies on a server that refuses connections; the packaged one may stand in, or may not",
    tries: 2,
    file: surroundings,
  },
  hostileOutput: {
    fault: "Hostile output of a check",
    trial:
      "1 GB, NULs, random bytes, half characters, terminal sequences, one line of 10 MB, a result file of 100 MB, a pipe, a folder or a link in the place of the result file",
    tries: 12,
    file: hostile,
  },
  links: {
    fault: "Links in the place of our files",
    trial:
      "Symbolic and hard links to a file of somebody else in the place of the state folder, work folder, state, `mrseq`, status, logs, report and outputs",
    tries: 22,
    file: links,
  },
  fuzzedSettings: {
    fault: "Hostile settings",
    trial: "Generated JSON through the reader of the settings file and the parser of the settings",
    tries: 100_000,
    file: "test/handler/settings/fuzz-settings.test.ts",
  },
} as const satisfies Readonly<Record<string, PlannedFault>>;

export type FaultName = keyof typeof faultPlan;
