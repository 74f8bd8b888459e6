import type { Secret } from "./secret.ts";

export const modes = ["enforce", "observe", "report"] as const;
/** `enforce`: the verdict is the status; `observe`: told, but never fails the VM; `report`: states facts and succeeds. */
export type Mode = (typeof modes)[number];

export const restarts = ["never", "once", "always"] as const;
/** What happens to a command that was interrupted. */
type Restart = (typeof restarts)[number];

export const bootstrapProviders = [
  "auto",
  "kubeadm",
  "kubeadm-ignition",
  "rke2",
  "k3s",
  "k0s",
  "microk8s",
  "canonical-kubernetes",
  "custom",
  "none",
] as const;
export type BootstrapProvider = (typeof bootstrapProviders)[number];

export const uploadMethods = ["PUT", "POST"] as const;
type UploadMethod = (typeof uploadMethods)[number];

export const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];

/** Validated settings, public and protected merged. URLs are secrets because a SAS may stand in them. */
export interface Settings {
  readonly check: CheckSettings;
  readonly timeoutSeconds: number;
  readonly pollSeconds: number;
  readonly graceSeconds: number;
  readonly aftercareSeconds: number;
  readonly mode: Mode;
  readonly bootstrapProvider: BootstrapProvider;
  readonly proxy: Secret | undefined;
  readonly echoToConsole: boolean;
  readonly reportUploadUri: Secret | undefined;
  /** These two: for an address that is not Azure storage. */
  readonly reportUploadMethod: UploadMethod;
  readonly reportUploadAuthorization: Secret | undefined;
  readonly logLevel: LogLevel;
  readonly storage: StorageAccess;
}

export type CheckSettings =
  | {
      readonly kind: "bundle";
      readonly version: string | undefined;
      /** Lower-case hex of the wanted bundle.json's SHA-256. */
      readonly sha256: string | undefined;
      readonly baseUris: readonly Secret[];
      readonly required: boolean;
    }
  | {
      readonly kind: "command";
      readonly command: CommandText;
      readonly fileUris: readonly FileUri[];
      readonly skipDos2Unix: boolean;
      readonly restart: Restart;
      readonly runAsUser: string | undefined;
      readonly removeFiles: boolean;
      readonly lookBeside: boolean;
    };

export interface FileUri {
  readonly uri: Secret;
  /** Lower-case hex of the file's SHA-256, if the address names one. */
  readonly sha256: string | undefined;
}

export type CommandText =
  | { readonly kind: "line"; readonly line: Secret }
  /** Decoded and inflated bytes of the setting `script`. */
  | { readonly kind: "script"; readonly bytes: Buffer };

export type StorageAccess =
  | { readonly kind: "anonymous" }
  | { readonly kind: "account-key"; readonly account: string; readonly key: Secret }
  | { readonly kind: "managed-identity"; readonly clientId?: string; readonly objectId?: string };

export interface SettingsProblem {
  readonly key: string;
  /** One sentence with the current and the allowed value; protected values are never quoted. */
  readonly message: string;
  /** The code of this problem where it has one of its own; otherwise settingsInvalid. */
  readonly errorId?: "commandMissing" | "scriptInvalid";
}

export type ParsedSettings =
  | { readonly kind: "valid"; readonly settings: Settings; readonly warnings: readonly SettingsProblem[] }
  | {
      readonly kind: "invalid";
      readonly problems: readonly SettingsProblem[];
      readonly warnings: readonly SettingsProblem[];
    };
