export interface RegionReplication {
  readonly region: string;
  readonly state: string;
  /** Per cent, where the service tells. */
  readonly progress?: number;
}

export interface Replication {
  readonly kind: "completed" | "pending" | "failed";
  readonly regions: readonly RegionReplication[];
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
}

export interface VersionChange {
  readonly version: string;
  readonly internal: boolean;
  readonly regions: readonly string[];
  readonly sha256: string;
  readonly stageStarted: Date;
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
