/** Windows translates its words and never its numbers: what each number says went wrong. */
const win32 = {
  "missing-file": [2, 3],
  denied: [5, 740, 1314, 10_013],
  "out-of-memory": [8, 14, 1450, 1455],
  "read-only": [19],
  locked: [32, 33],
  "out-of-space": [39, 112],
  "no-route": [53, 1231, 1232, 1311, 10_050, 10_051, 10_065],
  reset: [64, 1236, 10_053, 10_054, 12_030],
  "not-found": [67, 1060, 1168, 1355],
  "already-exists": [80, 183],
  "invalid-value": [87, 206],
  "timed-out": [121, 1460, 10_060, 12_002],
  "library-missing": [126],
  "library-unfit": [127],
  "exec-format": [193, 216],
  "security-denied": [225, 226, 577, 1260],
  "service-failed": [1053, 1058, 1067, 1068, 1069, 1072, 1075],
  "io-error": [23, 1117],
  mismatch: [1219],
  refused: [1225, 10_061, 12_029],
  unauthorized: [1326, 1327, 1396],
  expired: [1330, 12_037],
  "server-error": [1722],
  "unknown-authority": [1789, 12_045],
  "address-in-use": [10_048],
  "address-not-local": [10_049],
  "no-such-host": [11_001, 11_002, 11_004, 12_007],
  "wrong-name": [12_038],
  "tls-failed": [12_044, 12_057, 12_157, 12_175],
  "bad-request": [12_152],
} as const;

/** HRESULT and NTSTATUS; those that carry a Win32 code are read as that one. 0x80131620 says of an exception only that it is of input or output. */
const wide = {
  denied: [0xc0_00_00_22],
  "out-of-memory": [0xc0_00_00_17, 0xc0_00_01_2d],
  "missing-file": [0xc0_00_00_34],
  "out-of-space": [0xc0_00_00_7f],
  "exec-format": [0xc0_00_00_7b],
  "library-missing": [0xc0_00_01_35],
  "library-unfit": [0xc0_00_01_39, 0xc0_00_01_42],
  "security-denied": [0xc0_00_04_28],
  killed: [0xc0_00_00_05, 0xc0_00_00_fd, 0xc0_00_01_3a, 0xc0_00_03_74, 0xc0_00_04_09],
  unauthorized: [0xc0_00_00_6d, 0x80_09_03_0c],
  "timed-out": [0x80_13_15_05, 0xc0_37_01_09],
  "tls-failed": [0x80_09_03_26, 0x80_09_03_31, 0x80_09_20_12, 0x80_09_20_13],
  "unknown-authority": [0x80_09_03_25, 0x80_0b_01_09, 0x80_0b_01_0a],
  "wrong-name": [0x80_09_03_22, 0x80_0b_01_0f],
  expired: [0x80_09_03_28, 0x80_0b_01_01],
  "not-found": [0x80_0f_08_1f, 0xc0_37_01_0e, 0x80_3b_00_01, 0x80_3b_00_02, 0x80_3b_00_04, 0x80_3b_00_06],
  "no-platform": [0xc0_37_01_01],
  "not-supported": [0xc0_37_01_02, 0x80_3b_00_15],
  unhealthy: [0xc0_37_01_00, 0xc0_37_01_06, 0xc0_37_01_07, 0xc0_37_01_14],
  refused: [0xc0_37_01_08],
  reset: [0xc0_37_01_0a],
  "already-exists": [0xc0_37_01_0f, 0x80_3b_00_10, 0x80_3b_00_14],
  "invalid-value": [0xc0_37_01_12, 0x80_3b_00_0a, 0x80_3b_00_0c, 0x80_3b_00_1b],
} as const;

/** Of these names, which are those of kinds.ts. */
type Kind = keyof typeof win32 | keyof typeof wide;

function byCode(table: Partial<Record<Kind, readonly number[]>>): ReadonlyMap<number, Kind> {
  // The compiler cannot know that a record has no other keys than its type names.
  const rows = Object.entries(table) as readonly (readonly [Kind, readonly number[]])[];
  return new Map(rows.flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)));
}

const ofWin32 = byCode(win32);
const ofWide = byCode(wide);

/** Win32 codes in decimal, where the form says that it is one: a number alone says nothing. */
const decimals: readonly RegExp[] = [
  // Python, .NET, and programs that tell what Windows told them.
  /\bWinError (?<code>\d{1,5})\b/giu,
  /\b(?:Socket|Win32|Ping|NetworkInformation)Exception \((?<code>\d{1,5})\)/gu,
  /\bNativeErrorCode["' ]{0,3}[:=][ "']{0,3}(?<code>\d{1,5})\b/gu,
  /\b(?:Get)?LastError(?:\(\))?[ :=]{1,4}(?<code>\d{1,5})\b/gu,
  /\b(?:Win32|WSA)[ -]?error(?: code)?[ :=#]{1,3}(?<code>\d{1,5})\b/giu,
  // Rust: a text of Windows ends as a sentence, one of libc does not; and libc has no number so high.
  /[.。] ?\(os error (?<code>\d{1,5})\)/gu,
  /\(os error (?<code>[1-9]\d{3,4})\)/gu,
  // net.exe.
  /\bSystem error (?<code>\d{1,5}) has occurred/giu,
  /(?:Systemfehler|erreur syst[èe]me|(?:^|error )del? sistema|errore di sistema|erro d[eo] sistema|systeemfout|systemfel|systemu|истемная ошибка|システム ?エラー|系统错误|系統錯誤|시스템 오류)[ :]{0,3}(?<code>\d{1,5})/giu,
  // sc.exe.
  /\[SC\] \w{2,30}[^\d\n]{1,40}(?<code>\d{1,5}) ?:/giu,
  // What the service manager fills its events with.
  /(?:^|[\s,(])%%(?<code>\d{1,5})(?=$|[\s,.;)])/gu,
];

const hex = /\b0x(?<hex>(?:80(?:07|09|0b|0f|13|37|3b)|c0(?:00|37))[\da-f]{4})\b/giu;
/** hcsshim shows a Win32 code in hexadecimal. */
const shim = /(?:in Win32|Windows system call): [^()]{0,200}\(0x(?<short>[\da-f]{1,4})\)/giu;
/** The same as numbers, as .NET's HResult and a process's exit code show them. */
const whole =
  /(?:(?<![\w.])(?=-)|(?:code|hresult|status|%%)["':= ]{0,5})(?<whole>-21[34]\d{7}|-107\d{7}|21[45]\d{7}|32[23]\d{7})\b/giu;

/** A code of Windows is in none of the messages without one of these. */
const mark =
  /WinError|Exception \(|ErrorCode|LastError|(?:Win32|WSA)[ -]?error|os error|in Win32|Windows system call|%%\d|\[SC\]|0x(?:80|c0)[\da-f]{6}|-21[34]\d{7}|-107\d{7}|21[45]\d{7}|32[23]\d{7}|syst|sistema|истемная ошибка|システム|系[统統]|시스템/iu;

export interface FoundCode {
  readonly kind: Kind;
  readonly at: number;
}

/** The kinds of the Windows codes of a message, and where each stands. */
export function windowsCodesOf(message: string): readonly FoundCode[] {
  if (!mark.test(message)) return [];
  const found = decimals.flatMap((form) =>
    [...message.matchAll(form)].map((match) => ({
      at: match.index,
      kind: ofWin32.get(Number(match.groups?.["code"])),
    })),
  );
  for (const match of message.matchAll(hex))
    found.push({ at: match.index, kind: kindOfWide(Number.parseInt(match.groups?.["hex"] ?? "", 16)) });
  for (const match of message.matchAll(shim))
    found.push({ at: match.index, kind: ofWin32.get(Number.parseInt(match.groups?.["short"] ?? "", 16)) });
  for (const match of message.matchAll(whole))
    found.push({ at: match.index, kind: kindOfWide(Number(match.groups?.["whole"])) });
  return found.flatMap(({ at, kind }) => (kind === undefined ? [] : [{ at, kind }]));
}

const carriesWin32 = 0x80_07;

function kindOfWide(code: number): Kind | undefined {
  const unsigned = code >>> 0;
  if (unsigned >>> 16 === carriesWin32) return ofWin32.get(unsigned & 0xff_ff);
  // Host compute errors are told as HRESULT or NTSTATUS.
  return ofWide.get(unsigned) ?? ofWide.get((unsigned | 0x40_00_00_00) >>> 0);
}
