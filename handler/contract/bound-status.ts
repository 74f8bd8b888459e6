import { jsonBytes } from "../text/cut-text.ts";
import { firstLineLimit } from "../text/first-line-parts.ts";
import { cutShown, joinShown, ours, type ShownText } from "../text/shown-text.ts";
import type { Status, StatusKind, Substatus } from "./status.ts";

/** Aim for the whole file. The agent's own limit is 131,072 characters, above which it cuts without regard to meaning. */
export const statusFileLimitBytes = 16 * 1024;
const nameLimit = 100;
const substatusLimit = 24;
/** What the JSON around the texts takes at most: 24 substatuses of about 140 bytes and names of up to 300 bytes are cut below. */
const frameBytesPerSubstatus = 160;
const frameBytes = 640;
const rawLimit = 64 * 1024;
/** Bytes that the message keeps beside substatuses of any length. */
const shortestMessage = 2000;

/** A status that the agent can always read and that fits: no text empty, whole numbers, a bounded size. */
export function boundStatus(status: Status): Status {
  const substatuses = status.substatuses.slice(0, substatusLimit).map(boundSubstatus);
  const message = shortFirstLine(notEmpty(status.message, status));
  const used = substatuses.reduce((sum, { name }) => sum + frameBytesPerSubstatus + jsonBytes(name), frameBytes);
  const room = statusFileLimitBytes - used;
  const sizes = substatuses.map((substatus) => jsonBytes(substatus.message));
  // Half a message still tells something, half a JSON text nothing: the substatuses come first.
  const share = fairShare(sizes, room - Math.min(jsonBytes(message), shortestMessage));
  const left = room - sizes.reduce((sum, size) => sum + Math.min(size, share), 0);
  return {
    ...status,
    code: wholeCode(status),
    message: cutShown.toJsonBytes(message, left),
    substatuses: substatuses.map((substatus) => ({
      ...substatus,
      message: cutShown.toJsonBytes(substatus.message, share),
    })),
  };
}

/** True if `boundStatus` leaves every text whole. */
export function fitsUncut(status: Status): boolean {
  const bound = boundStatus(status);
  const pairs = [
    [status, bound] as const,
    ...status.substatuses.map((one, index) => [one, bound.substatuses[index]] as const),
  ];
  return pairs.every(([before, after]) => (after?.message.length ?? 0) >= before.message.trim().length);
}

function boundSubstatus(substatus: Substatus): Substatus {
  const name = cutShown.text(cutShown.oneLine(substatus.name), nameLimit, "…");
  return {
    name: name.length === 0 ? ours`Unnamed` : name,
    status: substatus.status,
    code: wholeCode({ kind: substatus.status, code: substatus.code }),
    message: notEmpty(substatus.message, { kind: substatus.status, code: substatus.code }),
  };
}

/** An empty or missing text makes the agent drop the status of the whole machine once the file is too long. */
function notEmpty(message: ShownText, { kind, code }: KindAndCode): ShownText {
  const trimmed = cutShown.trim(cutShown.text(message, rawLimit));
  return trimmed.length === 0 ? joinShown([kindWords[kind], ours`code ${code}; no text was given`], ", ") : trimmed;
}

const kindWords: Readonly<Record<StatusKind, ShownText>> = {
  transitioning: ours`transitioning`,
  success: ours`success`,
  warning: ours`warning`,
  error: ours`error`,
};

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
function shortFirstLine(message: ShownText): ShownText {
  const end = message.indexOf("\n");
  const line = end === -1 ? message : cutShown.head(message, end);
  if (line.length <= firstLineLimit) return message;
  const head = cutShown.head(line, firstLineLimit - 1);
  return ours`${head}…\n…${cutShown.from(message, head.length)}`;
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
