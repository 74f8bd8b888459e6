/**
 * Who may change a file, by its access list in the security descriptor's own language (SDDL), in which accounts are ids and never
 * translated names. Source: Microsoft's "Security Descriptor String Format" and "ACE Strings".
 */

/** LocalSystem, administrators, the installer of Windows; the owner, who is asked after elsewhere, under the two names of that role. */
const trusted: ReadonlySet<string> = new Set([
  ...["SY", "S-1-5-18", "BA", "S-1-5-32-544", "CO", "S-1-3-0", "OW", "S-1-3-4"],
  "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
]);

/** What somebody is denied only makes a list stricter than it is taken for. */
const granting: ReadonlySet<string> = new Set(["A", "OA", "XA", "ZA"]);

const known: Readonly<Record<string, string>> = {
  WD: "Everyone",
  AU: "Authenticated Users",
  BU: "Users",
  IU: "interactive users",
  AN: "anonymous users",
  BG: "Guests",
  LS: "Local Service",
  NS: "Network Service",
};

/** Two letters each; as many of them as there are rights stand together. */
const rights: Readonly<Record<string, number>> = {
  ...{ CC: 0x1, DC: 0x2, LC: 0x4, SW: 0x8, RP: 0x10, WP: 0x20, DT: 0x40, LO: 0x80, CR: 0x100 },
  ...{ SD: 0x1_0000, RC: 0x2_0000, WD: 0x4_0000, WO: 0x8_0000 },
  ...{ GA: 0x1000_0000, GX: 0x2000_0000, GW: 0x4000_0000, GR: 0x8000_0000 },
  ...{ FA: 0x1f_01ff, FR: 0x12_0089, FW: 0x12_0116, FX: 0x12_00a0 },
};

/** To be deleted, to get another access list or another owner, and all that stands for several rights. */
const takesOver = 0x1_0000 | 0x4_0000 | 0x8_0000 | 0x1000_0000 | 0x4000_0000;

const changing = {
  /** Writing and appending. */
  file: takesOver | 0x2 | 0x4,
  /** New files in it, and the removal of those that are there. */
  folder: takesOver | 0x2 | 0x40,
  /** A folder further up: it is enough that nobody can remove or rename what leads down. */
  above: takesOver | 0x40,
} as const;

export type GuardedKind = keyof typeof changing;

/** Accounts beside the system and the administrators that may change it, as people know them or by id; "anybody" without a list. */
export function othersWhoMayChange(sddl: string, kind: GuardedKind): readonly string[] {
  const list = /D:(?<flags>[A-Z_]*)(?<entries>(?:\(.*\))?)/u.exec(sddl)?.groups;
  if (list === undefined || list["flags"]?.includes("NO_ACCESS_CONTROL") === true) return ["anybody"];
  // What a condition in parentheses leaves between two of them begins with no type.
  const entries = (list["entries"] ?? "").split("(").map((entry) => entry.replaceAll(")", "").split(";"));
  const others = entries.flatMap(([type = "", flags = "", mask = "", , , who = ""]) => {
    // Of the list of what is made in the folder, not of the folder itself.
    const isForHeirsOnly = flags.replaceAll(/../gu, "$& ").includes("IO");
    if (!granting.has(type) || isForHeirsOnly || trusted.has(who)) return [];
    return (maskOf(mask) & changing[kind]) === 0 ? [] : [known[who] ?? who];
  });
  return [...new Set(others)];
}

/** A right that is not known is taken for every right. */
function maskOf(text: string): number {
  if (/^0x[\da-f]{1,8}$/iu.test(text)) return Number.parseInt(text, 16);
  if (/^\d{1,10}$/u.test(text)) return Number(text);
  return (text.match(/.{1,2}/gu) ?? []).reduce((mask, name) => mask | (rights[name] ?? 0x1000_0000), 0);
}
