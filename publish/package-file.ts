export interface PackageFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mode: 0o644 | 0o755;
}
