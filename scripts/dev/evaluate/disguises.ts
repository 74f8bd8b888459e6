/** A log as another tool would have stored or copied it. `removes`: lines are gone, so the answer may go with them. */
export interface Disguise {
  readonly name: string;
  readonly removes?: true;
  readonly apply: (text: string) => string;
}

export const disguises: readonly Disguise[] = [
  { name: "other time formats", apply: (text) => perLine(text, otherTime) },
  {
    name: "journal prefixes",
    apply: (text) => perLine(text, (line) => `Mar 02 07:14:09 node-1 bootstrap[811]: ${line}`),
  },
  {
    name: "cut lines",
    apply: (text) => perLine(text, (line) => (line.length > 400 ? `${line.slice(0, 399)}>` : line)),
  },
  { name: "wrapped at 80", apply: (text) => perLine(text, (line) => wrap(line, 80)) },
  { name: "wrapped at 120", apply: (text) => perLine(text, (line) => wrap(line, 120)) },
  { name: "CRLF", apply: (text) => text.replaceAll(/\r?\n/gu, "\r\n") },
  { name: "JSON-escaped", apply: (text) => perLine(text, toJson) },
  { name: "colour", apply: (text) => perLine(text, (line) => `\u001B[0;31m${line}\u001B[0m`) },
  { name: "lower-case identifiers", apply: (text) => perLine(text, lowerIdentifiers) },
  { name: "interleaved with another log", apply: interleave },
  { name: "first half missing", removes: true, apply: (text) => half(text, "last") },
  { name: "last half missing", removes: true, apply: (text) => half(text, "first") },
];

function perLine(text: string, change: (line: string) => string): string {
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : change(line.replace(/\r$/u, ""))))
    .join("\n");
}

/** Syslog's clock as RFC 3339; klog and logrus keep their own, which stands in the message. */
function otherTime(line: string): string {
  return line
    .replace(/^[A-Z][a-z]{2} {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) /u, "2026-03-$1T$2.118203+00:00 ")
    .replace(/^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d),\d{3} /u, "$1/$2/$3 $4 ");
}

function wrap(line: string, width: number): string {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += width) pieces.push(line.slice(at, at + width));
  return pieces.join("\n");
}

function toJson(line: string): string {
  return JSON.stringify({ log: `${line}\n`, stream: "stderr", time: "2026-03-02T07:14:09.118203Z" });
}

/** CamelCase and SCREAMING_SNAKE names, as tools that fold case hand them on. */
function lowerIdentifiers(line: string): string {
  return line.replaceAll(/\b(?:[A-Z][a-z\d]+){3,}\b|\b[A-Z][A-Z\d]+(?:_[A-Z\d]+)+\b/gu, (name) => name.toLowerCase());
}

const noise = [
  "Mar 02 07:14:09 node-1 systemd[1]: Started Session 4 of user azureuser.",
  "Mar 02 07:14:09 node-1 chronyd[611]: Selected source PHC0",
  "Mar 02 07:14:10 node-1 sshd[2011]: Received disconnect from 10.1.1.1 port 5022:11: disconnected by user",
];

function interleave(text: string): string {
  return text
    .split("\n")
    .flatMap((line, index) => (index % 2 === 0 ? [line, noise[(index / 2) % noise.length] ?? ""] : [line]))
    .join("\n");
}

function half(text: string, which: "first" | "last"): string {
  const lines = text.split("\n");
  const middle = Math.ceil(lines.length / 2);
  return (which === "first" ? lines.slice(0, middle) : lines.slice(middle)).join("\n");
}
