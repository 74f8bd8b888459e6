import { cleanText } from "../text/clean-text.ts";
import { cutMark, cutText, cutToJsonBytes, headOf, jsonBytes } from "../text/cut-text.ts";
import type { Status, StatusKind, Substatus } from "./status.ts";

/** Aim for the whole file. The agent's own limit is 131,072 characters, above which it cuts without regard to meaning. */
export const statusFileLimitBytes = 16 * 1024;
const firstLineLimit = 200;
const nameLimit = 100;
const substatusLimit = 24;
/** What the JSON around the texts takes at most: 24 substatuses of about 140 bytes and names of up to 300 bytes are cut below. */
const frameBytesPerSubstatus = 160;
const frameBytes = 640;
const rawLimit = 64 * 1024;

/** A status that the agent can always read and that fits: clean texts, none empty, whole numbers, a bounded size. */
export function boundStatus(status: Status): Status {
  const substatuses = status.substatuses.slice(0, substatusLimit).map(cleanSubstatus);
  const message = shortFirstLine(cleanMessage(status.message, status));
  const used = substatuses.reduce((sum, { name }) => sum + frameBytesPerSubstatus + jsonBytes(name), frameBytes);
  const texts = [message, ...substatuses.map((substatus) => substatus.message)];
  const share = fairShare(texts.map(jsonBytes), statusFileLimitBytes - used);
  return {
    ...status,
    code: wholeCode(status),
    message: cutToJsonBytes(message, share),
    substatuses: substatuses.map((substatus) => ({ ...substatus, message: cutToJsonBytes(substatus.message, share) })),
  };
}

/** True if `boundStatus` leaves every text whole. */
export function fitsUncut(status: Status): boolean {
  const bound = boundStatus(status);
  const texts = [status, ...status.substatuses].map(({ message }) => cleanMessage(message, status));
  return [bound, ...bound.substatuses].every(({ message }, index) => message.length >= (texts[index]?.length ?? 0));
}

function cleanSubstatus(substatus: Substatus): Substatus {
  const name = cutText(cleanText(headOf(substatus.name, rawLimit)).replaceAll(/\s+/g, " ").trim(), nameLimit, "…");
  return {
    name: name === "" ? "Unnamed" : name,
    status: substatus.status,
    code: wholeCode({ kind: substatus.status, code: substatus.code }),
    message: cleanMessage(substatus.message, { kind: substatus.status, code: substatus.code }),
  };
}

/** An empty or missing text makes the agent drop the status of the whole machine once the file is too long. */
function cleanMessage(message: string, { kind, code }: KindAndCode): string {
  // A cut before the cleaning bounds the work. It is marked here, because what was cleaned away may leave a text that fits.
  const clean = cleanText(headOf(message, rawLimit)).trim();
  if (clean === "") return `${kind}, code ${code}; no text was given`;
  return message.length > rawLimit ? clean + cutMark : clean;
}

interface KindAndCode {
  readonly kind: StatusKind;
  readonly code: number;
}

/** The platform reads a signed 32-bit integer. */
function wholeCode({ kind, code }: KindAndCode): number {
  if (Number.isInteger(code) && Math.abs(code) <= 2_147_483_647) return code === 0 ? 0 : code;
  return kind === "error" ? -9 : 0;
}

/** Portals and kubectl show the first line; what is over moves to the second. */
function shortFirstLine(message: string): string {
  const end = message.indexOf("\n");
  const line = end === -1 ? message : message.slice(0, end);
  if (line.length <= firstLineLimit) return message;
  const head = headOf(line, firstLineLimit - 1);
  return `${head}…\n…${message.slice(head.length)}`;
}

/** The largest size that no text may exceed so that all together take at most `available`; short texts stay whole. */
function fairShare(sizes: readonly number[], available: number): number {
  let left = Math.max(0, available);
  const ascending = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return available;
}
