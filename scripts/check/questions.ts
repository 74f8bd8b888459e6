/**
 * The dozen questions through which the check sees a machine: protocol 2 between handler and check (docs/check-protocol.md).
 * The handler answers them on a real machine, a model answers them in memory, a record answers them in a replay.
 * Every answer is bounded in time and size, and may be "cannot tell"; whoever judges must treat that as no evidence at all.
 */
export const checkProtocol = 2;

/** All times are milliseconds: wall clock since 1970 (UTC), monotonic and uptime since this boot. */
export type Question =
  /** What is at this path; symbolic links are followed. */
  | { readonly ask: "path"; readonly path: string }
  /** The text of a small file, decoded (UTF-8, UTF-16 with or without mark). At most `maxBytes` (64 KiB) from its front. */
  | { readonly ask: "text"; readonly path: string; readonly maxBytes?: number }
  /**
   * Which of these words a file holds, letter by letter, in at most its first 1 MiB (a user's script, the user data).
   * So what may hold secrets is searched by the handler and never shown to the check, nor kept in a record.
   */
  | { readonly ask: "mentions"; readonly path: string; readonly words: readonly string[] }
  /**
   * The newest part of a log, decoded; at most `maxBytes` (256 KiB unless told, never more than 8 MiB) from its end,
   * begun at a line where one begins.
   */
  | { readonly ask: "log"; readonly path: string; readonly maxBytes?: number }
  /** Names in a folder, sorted by code unit; at most 1,000. */
  | { readonly ask: "names"; readonly folder: string }
  /** States of systemd units (Linux), with their queued jobs. */
  | { readonly ask: "units"; readonly names: readonly string[] }
  /** States of services (Windows). */
  | { readonly ask: "services"; readonly names: readonly string[] }
  /** Processes of one unit, or of the whole machine; of their arguments no more than kubeadm's own words. */
  | { readonly ask: "processes"; readonly unit?: string }
  /** The values of a registry key (Windows), by name. */
  | { readonly ask: "registry"; readonly key: string }
  /** The first certificate of a PEM file. */
  | { readonly ask: "certificate"; readonly path: string }
  /** GET /healthz of this port on loopback (127.0.0.1, and ::1 where that refuses), never through a proxy. */
  | { readonly ask: "healthz"; readonly port: number }
  /** Which boot this is. */
  | { readonly ask: "boot" }
  /** Which virtual machine this is, and its host name. */
  | { readonly ask: "machine" }
  | { readonly ask: "time" };

export type QuestionName = Question["ask"];

/** A path as the system writes it: `/run/x` on Linux, `C:\run\x` on Windows; the handler puts a root before it in tests. */
export interface Answers {
  readonly path: PathAnswer;
  readonly text: { readonly kind: "absent" } | { readonly kind: "text"; readonly text: string; readonly cut: boolean };
  /** Those of the words that were found, in the order in which they were asked for. */
  readonly mentions: { readonly kind: "absent" } | { readonly kind: "mentions"; readonly words: readonly string[] };
  readonly log:
    | { readonly kind: "absent" }
    /** `cut`: the beginning is missing. */
    | { readonly kind: "text"; readonly text: string; readonly cut: boolean };
  readonly names: { readonly kind: "absent" } | { readonly kind: "names"; readonly names: readonly string[] };
  /** By unit name; a name that systemd does not know has `load: "not-found"`. */
  readonly units: Readonly<Record<string, UnitState>>;
  /** By service name; `missing` where there is none. */
  readonly services: Readonly<Record<string, ServiceState>>;
  readonly processes: readonly ProcessSeen[];
  readonly registry:
    | { readonly kind: "absent" }
    /** Numbers as decimal text. */
    | {
        readonly kind: "values";
        readonly values: Readonly<Record<string, string>>;
        readonly subkeys: readonly string[];
      };
  readonly certificate: CertificateAnswer;
  readonly healthz:
    | { readonly kind: "status"; readonly status: number }
    | { readonly kind: "refused" }
    | { readonly kind: "no-answer" };
  readonly boot: BootAnswer;
  readonly machine: MachineAnswer;
  readonly time: { readonly wallMs: number; readonly monotonicMs: number };
}

export type PathAnswer =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file" | "folder" | "other";
      readonly size: number;
      /** Last change of the content; set by programs, and captured into images. */
      readonly modifiedMs: number;
      /** Last change of the inode (Linux: ctime), which no program can set back. */
      readonly changedMs: number;
      /** When it was made, where the file system tells. */
      readonly createdMs?: number;
    };

/** `load` of every unit where another program than systemd manages the services. */
export const noManager = "no-systemd";

export interface UnitState {
  /** systemd's word, such as loaded, not-found, masked; or `noManager`. */
  readonly load: string;
  /** systemd's words: active, inactive, failed, activating, deactivating, reloading. */
  readonly active: string;
  readonly sub: string;
  /** systemd's Result, such as "success", "exit-code", "signal", "oom-kill". */
  readonly result: string;
  readonly exitStatus: number;
  /** How often systemd has started it again by itself; absent where not told. */
  readonly restarts?: number;
  /** Queued job: start, stop, restart, verify-active …; absent when none is queued. */
  readonly job?: string;
}

export type ServiceState =
  | { readonly kind: "missing" }
  | {
      readonly kind: "service";
      /** As the service manager numbers them: running, stopped, start-pending, stop-pending, paused … */
      readonly state: string;
      /** Told of a stopped service; of another one it may be unknown. */
      readonly start: "automatic" | "manual" | "disabled" | "boot" | "unknown";
      /** Win32 exit code of the last run, where told. */
      readonly exitCode?: number;
    };

export interface ProcessSeen {
  readonly name: string;
  /** Age in milliseconds on the monotonic clock; 0 where the system does not say. */
  readonly ageMs: number;
  /** Of one named kubeadm: what it was told to do; absent where its arguments do not say so beyond doubt. */
  readonly command?: KubeadmCommand;
  /** Of one named kubeadm: it has other folders in the place of this machine's, as in a container. */
  readonly elsewhere?: boolean;
}

export type KubeadmCommand =
  | "init"
  | "join"
  | "reset"
  | "upgrade"
  | "alpha"
  | "certs"
  | "completion"
  | "config"
  | "config images pull"
  | "help"
  | "kubeconfig"
  | "token"
  | "version";

export type CertificateAnswer =
  | { readonly kind: "absent" }
  /** Not (yet) a certificate: empty, half written, of another form. */
  | { readonly kind: "unreadable" }
  | {
      readonly kind: "certificate";
      readonly commonName: string;
      readonly organizations: readonly string[];
      readonly issuer: string;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
    };

export interface BootAnswer {
  /** Changes at every boot. */
  readonly id: string;
  readonly uptimeMs: number;
  /** Linux: is /run a memory file system, so that what lies there is of this boot? */
  readonly runIsMemory?: boolean;
}

export interface MachineAnswer {
  /** Unique id of the virtual machine (SMBIOS), lower case; "unknown" when it cannot be read. */
  readonly vmId: string;
  readonly hostName: string;
}

/** `cannot-tell`: no evidence for either side. `why` is for the record only. */
export type Answer<Name extends QuestionName = QuestionName> =
  { readonly kind: "known"; readonly value: Answers[Name] } | { readonly kind: "cannot-tell"; readonly why: string };
