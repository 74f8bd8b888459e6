/** Names of the files that carry a sequence number: `7.settings`, or `<extension>.7.settings` with multi-config. */
export interface SequenceFile {
  readonly sequence: number;
  readonly extensionName?: string | undefined;
}

export function settingsFileName(file: SequenceFile): string {
  return `${stem(file)}.settings`;
}

export function statusFileName(file: SequenceFile): string {
  return `${stem(file)}.status`;
}

function stem({ sequence, extensionName }: SequenceFile): string {
  return extensionName === undefined ? String(sequence) : `${extensionName}.${sequence}`;
}

/** The number of a settings file of this extension; undefined for stray files (`x.settings`) and other extensions' files. */
export function sequenceOfSettingsFile(name: string, extensionName: string | undefined): number | undefined {
  const prefix = extensionName === undefined ? "" : `${extensionName}.`;
  if (!name.startsWith(prefix) || !name.endsWith(".settings")) return undefined;
  return parseSequence(name.slice(prefix.length, -".settings".length));
}

/** A plain decimal number that fits a signed 32-bit integer, which is what the platform uses. */
export function parseSequence(text: string): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const sequence = Number(text);
  return sequence <= 2_147_483_647 ? sequence : undefined;
}
