import type { RunProcess } from "../process-port.ts";
import type { ShownText } from "../text/shown-text.ts";

/** What differs between Linux and Windows. Two object literals implement it; no other file asks which system it is. */
export interface Platform {
  readonly name: "linux" | "windows";
  /** The running machine's own root: `/`, or the system drive such as `C:\`. */
  readonly defaultRoot: string;
  /** Folders and files, below `root`. */
  paths(root: string): PlatformPaths;
  /** Program and leading arguments that run a check script of this platform. */
  interpreter(script: string): readonly [string, ...string[]];
  /** The launcher in the handler's folder, as the agent calls it. */
  launcher(programFolder: string): string;
  /** Program and arguments that run `commandToExecute` as the Custom Script handler does (`/bin/sh -c`, `cmd /c`). */
  shell(command: string): readonly [string, ...string[]];
  /** Output of programs as UTF-8 where they print in a code page of the system (Windows); what is UTF-8 or UTF-16 stays as it is. */
  toUtf8?(output: Uint8Array, run: RunProcess): Promise<Uint8Array>;
  /** Checks of others beside ours: where they lie, and which of them may run. */
  readonly hooks: HookRules;
  /** Absolute path of a program of the system that is named without one, so that no folder on the PATH can put another in its place. */
  programPath?(name: string): string;
  decrypt(request: DecryptRequest, run: RunProcess): Promise<Buffer>;
  machineIdentity(root: string, run: RunProcess): Promise<MachineIdentity>;
  /** A text by which other processes recognise this one as long as it lives, and never take another for it. */
  selfMark(): Promise<string>;
  /** True while the process of that pid that gave itself this mark lives; one that was killed is waited for until it is gone, for some seconds. */
  isSameProcess(pid: number, mark: string): Promise<boolean>;
  /** Remembers the check's first process where the marker alone would not find it again (Windows). */
  noteProcess?(process: NoteProcess): void;
  /** Closes a folder of ours to other users where a mode cannot (Windows); returns what went wrong, for the log. */
  restrictFolder?(folder: string, run: RunProcess): Promise<string | undefined>;
  /** The sequence number that the agent notes outside the handler's folder (Windows: registry). */
  recordedSequence?(
    handler: { readonly name: string; readonly version: string },
    run: RunProcess,
  ): Promise<number | undefined>;
  /** When this system was set up on this disk, where it says so (Windows). */
  setUpAt?(run: RunProcess): Promise<Date | undefined>;
  /** A user of this machine, and how a program is started as that user; absent where we cannot do that (Windows). */
  findUser?(name: string, run: RunProcess): Promise<UserSearch>;
  /** Takes our service's small share of CPU and disk from it: from now on it is the user's command that works there. */
  shareFully?(service: { readonly unit: string; readonly root: string }, run: RunProcess): Promise<void>;
  /** Ends what a check of the bundle left running at its verdict; absent where that is not told from other processes. */
  endLeftOvers?(marker: string): Promise<void>;
  /** Ends every process that carries `CAPZ_BOOTSTRAP_RUN=marker` in its environment or belongs to `leader`'s tree; resolves when none is left. */
  killTree(tree: ProcessTree, run: RunProcess): Promise<void>;
  /** True when no process carries the marker any more; absent where that cannot be told for certain (Windows). */
  isTreeGone?(marker: string): Promise<boolean>;
  /** Names what runs in the tree, such as "kubeadm for 74 s"; without arguments, since secrets may stand in them. */
  describeTree?(tree: ProcessTree, run: RunProcess): Promise<readonly string[]>;
  /** Starts the supervisor so that it outlives the guest agent (own systemd service where systemd runs, else an own session). */
  startSupervisor(request: StartSupervisor, run: RunProcess): Promise<void>;
  /** Stops the supervisor and everything below it; never throws because there is none. */
  stopSupervisor(request: StopSupervisor, run: RunProcess): Promise<void>;
  /** Where the agent keeps the handlers' log folders, and last the folder of `capz-bootstrap run`. */
  logFolders(root: string): readonly string[];
  /** Device for the one-line verdict, if the machine has one. */
  console(root: string): string | undefined;
  /** Tells the verdict where a device cannot simply be written to (Windows: serial port, event log); never throws. */
  announce?(announcement: Announcement, run: RunProcess): Promise<void>;
}

export interface HookRules {
  /** Where they lie on the machine below `root`. */
  folder(root: string): string;
  /** The same, as messages name it. */
  place(root: string): string;
  /** End of a hook's name, in small letters. */
  readonly suffix: ".sh" | ".ps1";
  /** Whether it can be run at all; other files may lie beside the hooks. */
  isProgram(path: string): boolean;
  /** Program and arguments that run it. */
  command(path: string): readonly [string, ...string[]];
  /** Why its exit code is none of the hook's own; undefined where it is. */
  refusedBy?(code: number, stderrFile: string): Promise<string | undefined>;
  /** The end of the sentence "… was not run:" where somebody but the system can change it; undefined where nobody else can. */
  whoElse(hook: HookFile, run: RunProcess): Promise<string | undefined>;
}

export interface HookFile {
  readonly path: string;
  readonly name: string;
  /** The folder it lies in; undefined for a file that is only to become a hook. */
  readonly folder: string | undefined;
  /** A private folder of ours for what is written to find that out. */
  readonly scratch: string;
}

export interface Announcement {
  readonly line: ShownText;
  readonly failed: boolean;
}

export interface PlatformPaths {
  /** Our private folder (0700): state, downloads, secrets in use. */
  readonly state: string;
  /** Files of commands that run as another user, who cannot enter `state`. */
  readonly userFiles: string;
  readonly sentinel: string;
  /** How often the sentinel itself is looked at while the check pauses, where events of files cannot be relied on; a fifth of it while its folder is watched. */
  readonly sentinelLookMs?: number;
  /** Folders whose changes make the check look at once; some may not exist yet. */
  readonly watch: readonly string[];
  /** Logs whose end tells that something ended: the check looks when one was written and then rests. */
  readonly logs?: readonly string[];
  /** File name of the check script in a bundle: `check.sh` or `check.ps1`. */
  readonly checkScript: "check.sh" | "check.ps1";
}

export interface MachineUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** Program and arguments that start the rest of the line as this user, with all its groups. */
  readonly prefix: readonly [string, ...string[]];
}

export type UserSearch =
  | ({ readonly kind: "found" } & MachineUser)
  /** `reason`: the end of a sentence. */
  | { readonly kind: "absent"; readonly reason: string };

export interface MachineIdentity {
  /** The VM's unique id (DMI product_uuid, BIOS UUID), lower case; "unknown" when it cannot be read. */
  readonly vmId: string;
  /** Changes at every boot. */
  readonly bootId: string;
}

export interface DecryptRequest {
  /** DER-encoded CMS EnvelopedData. */
  readonly envelope: Uint8Array;
  readonly thumbprint: string;
  /** The agent's config folder; certificates lie two levels above it on Linux. */
  readonly configFolder: string;
}

export interface NoteProcess {
  readonly marker: string;
  readonly pid: number;
  /** Work folder of the sequence. */
  readonly folder: string;
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>;
}

export interface ProcessTree {
  readonly marker: string;
  readonly leader?: number;
  /** Milliseconds between SIGTERM and SIGKILL; 0 kills at once. Windows has no such request and always kills at once. */
  readonly graceMs: number;
}

export interface StartSupervisor {
  /** Launcher and arguments, first the absolute path of the launcher. */
  readonly command: readonly [string, ...string[]];
  /** Unique name of this extension instance and sequence, usable as a systemd unit name. */
  readonly unit: string;
  readonly root: string;
  /** File that receives stdout and stderr of the supervisor itself. */
  readonly outputFile: string;
}

export interface StopSupervisor {
  readonly unit: string;
  readonly root: string;
  /** From the supervisor's lock; absent when no live holder is known. */
  readonly pid?: number;
  /** The mark that the supervisor gave itself. */
  readonly startTime?: string;
  /** Marker of the processes that its check started. */
  readonly marker: string;
  /** The user's command has ended by itself: what it left in the background is not ours to end. */
  readonly keepTree: boolean;
  /** Somebody waits for it: it is no service, and its session and its process group are the caller's. */
  readonly inForeground?: true;
}
