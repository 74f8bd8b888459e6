/**
 * Event logs through wevtutil.exe, which every Windows has: no PowerShell on a machine that boots. Read as XML, in which times are UTC
 * and levels and events are numbers, so that a translated system tells the same.
 */

/** In place of it stand the milliseconds since this boot when the command is run. */
export const uptimePlace = "{uptime-ms}";

/** SystemTime of the last boot and later; critical, errors and warnings. */
const errorsOfThisBoot = `(Level=1 or Level=2 or Level=3) and TimeCreated[timediff(@SystemTime) <= ${uptimePlace}]`;
/** 1074 asked for, 1076 reason given later, 6005/6006 log service started/stopped, 6008 unexpected. */
const restarts = [1074, 1076, 6005, 6006, 6008].map((id) => `EventID=${String(id)}`).join(" or ");

/** The newest errors and warnings of this boot. */
export function errorEvents(log: string, count: number): readonly [string, ...string[]] {
  return query(log, errorsOfThisBoot, count);
}

/** The same of the log System, and its restarts, those of earlier boots, too: one start of a program for both. */
export function systemEvents(count: number): readonly [string, ...string[]] {
  return query("System", `(${errorsOfThisBoot}) or ${restarts}`, count);
}

function query(log: string, condition: string, count: number): readonly [string, ...string[]] {
  const options = [`/c:${String(count)}`, "/rd:true", "/f:RenderedXml", "/uni:true"];
  return ["wevtutil.exe", "qe", log, `/q:*[System[${condition}]]`, ...options];
}

const levels: Readonly<Record<string, string>> = { 1: "Critical", 2: "Error", 3: "Warning" };
const longestMessage = 4000;

/** One line an event, oldest first: "2026-03-01T08:30:05Z Error Service Control Manager 7031: The kubelet service …". */
export function showEvents(xml: string): string {
  return xml
    .split("</Event>")
    .slice(0, -1)
    .flatMap((event) => showEvent(event) ?? [])
    .toReversed()
    .join("\n");
}

function showEvent(event: string): string | undefined {
  const time = attribute(event, "TimeCreated", "SystemTime")?.slice(0, 19);
  const id = element(event, "EventID");
  if (time === undefined || id === undefined) return undefined;
  const level = levels[element(event, "Level") ?? ""] ?? "Information";
  const provider = attribute(event, "Provider", "Name") ?? "unknown";
  // Our own verdicts (announce-windows.ts) quote failures of earlier runs.
  if (provider === "capz-bootstrap") return undefined;
  return `${time}Z ${level} ${provider} ${id}: ${messageOf(event)}`;
}

/** An event whose provider is gone has no message; what it was filled with says the most then. */
function messageOf(event: string): string {
  const data = dataOf(event);
  const message = element(event, "Message");
  // A rendered message has the words of this Windows in the place of the error's number.
  const codes = data.filter((text) => /^%%\d{1,5}$/u.test(text) && message?.includes(text) === false);
  const text = message === undefined ? data.join(", ") : [message, ...codes].join(" ");
  return plain(text).replaceAll(/\s+/gu, " ").trim().slice(0, longestMessage);
}

/** What stands between `<Data …>` and the next tag. */
function dataOf(event: string): readonly string[] {
  return event
    .split("<Data")
    .slice(1)
    .map((part) => part.slice(part.indexOf(">") + 1, Math.max(0, part.indexOf("<"))))
    .filter((text) => text !== "");
}

function element(event: string, name: string): string | undefined {
  const start = new RegExp(`<${name}(?: [^>]{0,200})?>`, "u").exec(event);
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const to = event.indexOf("<", from);
  return to === -1 ? undefined : event.slice(from, to);
}

function attribute(event: string, name: string, key: string): string | undefined {
  const tag = new RegExp(`<${name} [^>]{0,400}>`, "u").exec(event)?.[0];
  if (tag === undefined) return undefined;
  const value = new RegExp(` ${key}=(?:'(?<single>[^']*)'|"(?<double>[^"]*)")`, "u").exec(tag)?.groups;
  const text = value?.["single"] ?? value?.["double"];
  return text === undefined ? undefined : plain(text);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function plain(text: string): string {
  return text.replaceAll(
    /&(?:#x(?<hex>[\da-f]{1,6})|#(?<number>\d{1,7})|(?<name>lt|gt|quot|apos|amp));/giu,
    (whole, ...rest) => {
      const groups = rest.at(-1) as Readonly<Record<"hex" | "number" | "name", string | undefined>>;
      if (groups.name !== undefined) return entities[groups.name.toLowerCase()] ?? whole;
      const code = groups.hex === undefined ? Number(groups.number) : Number.parseInt(groups.hex, 16);
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
