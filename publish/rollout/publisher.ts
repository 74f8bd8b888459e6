export interface RegionReplication {
  readonly region: string;
  readonly state: string;
  /** Per cent, where the service tells. */
  readonly progress?: number;
}

export interface Replication {
  /** `partly`: it has ended, and some regions have the version while others failed. */
  readonly kind: "completed" | "pending" | "partly" | "failed";
  readonly regions: readonly RegionReplication[];
}

/** An ended replication that did not reach every region. */
export function failedReplication(regions: readonly RegionReplication[]): Replication {
  return { kind: regions.some(({ state }) => state === "Completed") ? "partly" : "failed", regions };
}

/** One version as the service holds it. */
export interface PublishedVersion {
  readonly version: string;
  /** Not offered to customers. */
  readonly internal: boolean;
  readonly regions: readonly string[];
  /** sha256 of the package, as publish recorded it. */
  readonly sha256: string | undefined;
  /** When the present stage began. */
  readonly stageStarted: Date | undefined;
  /** Why the version must go no further; absent while its rollout may go on. */
  readonly held?: string;
}

export interface VersionChange {
  readonly version: string;
  readonly internal: boolean;
  readonly regions: readonly string[];
  readonly sha256: string;
  readonly stageStarted: Date;
  /** Keeps the version where it is, with the reason; absent: the rollout may go on. */
  readonly held?: string;
  /** Given on the first publishing only: the service keeps its own copy of the package. */
  readonly mediaLink?: string;
}

/** The two services behind publish, promote, status, unpublish and list. */
export interface Publisher {
  list(): Promise<readonly PublishedVersion[]>;
  replication(version: string): Promise<Replication>;
  /** Makes the extension type if the service does not know it. */
  registerType(): Promise<void>;
  put(change: VersionChange): Promise<void>;
  /** Only internal versions can be deleted. */
  delete(version: string): Promise<void>;
}

/** What a step needs of the world beside the service. */
export interface Clock {
  now(): Date;
  sleep(ms: number): Promise<void>;
}
