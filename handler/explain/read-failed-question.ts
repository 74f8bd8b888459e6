import type { FoundSituation } from "./situation.ts";

/** How the tools that ask begin a line about themselves, and not about what was asked for. */
interface Complaint {
  readonly kind: FoundSituation["kind"];
  readonly line: RegExp;
}

const azure = String.raw`(?:management\.(?:azure\.com|usgovcloudapi\.net|chinacloudapi\.cn)|login\.(?:microsoftonline\.(?:com|us)|chinacloudapi\.cn|partner\.microsoftonline\.cn))`;

/** Of several the first kind counts: a login that has run out before the way to the server. */
const complaints: readonly Complaint[] = [
  { kind: "not-permitted", line: /^(?:ERROR: )?(?:\(?AADSTS\d{3,7}\b|Please run:? ?'?az login)/u },
  { kind: "not-permitted", line: /^ERROR: .{0,400}(?:AADSTS\d{3,7}\b|Please run:? ?'?az login)/u },
  { kind: "cluster-refused", line: /^Error from server \((?:Forbidden|Unauthorized)\): /u },
  { kind: "cluster-refused", line: /^error: (?:You must be logged in to the server|Unauthorized)/u },
  // az: urllib3's and requests' words for a name, a proxy, a certificate or a server that does not answer.
  {
    kind: "azure-not-reached",
    line: new RegExp(String.raw`^(?:ERROR: )?HTTPS?ConnectionPool\(host='${azure}'`, "u"),
  },
  { kind: "azure-not-reached", line: /^ERROR: <urllib3\.[\w.]{1,80} object at 0x[0-9a-f]{1,16}>: /u },
  {
    kind: "azure-not-reached",
    line: new RegExp(String.raw`^<urllib3\.[\w.]{1,80} object at 0x[0-9a-f]{1,16}>: .{0,200}${azure}`, "u"),
  },
  {
    kind: "azure-not-reached",
    line: new RegExp(
      String.raw`^ERROR: .{0,400}(?:NameResolutionError|ProxyError|SSLError|ConnectTimeout|NewConnectionError|ConnectionError|Connection aborted).{0,400}${azure}`,
      "u",
    ),
  },
  {
    kind: "azure-not-reached",
    line: /^ERROR: (?:Certificate verification failed|The command failed with an unexpected error)/u,
  },
  { kind: "azure-not-reached", line: new RegExp(String.raw`^curl: \(\d{1,2}\) .{0,200}${azure}`, "u") },
  // az: its own arguments.
  {
    kind: "azure-not-reached",
    line: /^ERROR: (?:the following arguments are required|unrecognized arguments|argument |usage error|'[^']{1,80}' is misspelled or not recognized by the system)/u,
  },
  { kind: "cluster-not-reached", line: /^Unable to connect to the server: |^Error in configuration: /u },
  { kind: "cluster-not-reached", line: /^The connection to the server \S{1,260} was refused\b/u },
  {
    kind: "cluster-not-reached",
    line: /^Error from server(?: \((?:InternalError|ServiceUnavailable|Timeout|ServerTimeout|TooManyRequests)\))?: /u,
  },
  // kubectl: its own kubeconfig, login helper and arguments. Snap, git and others write "error: " too.
  {
    kind: "cluster-not-reached",
    line: /^error: (?:the server doesn't have a resource type|(?:no )?context\b|current-context\b|cluster "|error loading config file|stat \S{1,300}: no such file|Missing or incomplete configuration|no configuration has been provided|invalid configuration|getting credentials|exec plugin|the server has asked for the client to provide credentials|unable to (?:read client|load root)|unknown (?:flag|shorthand flag|command)|flag needs an argument|You must specify|Required resource not specified|there is no need to specify)/u,
  },
];

/** What stands beside a complaint: how often kubectl has tried, advice, the trace of az, the progress of curl. */
const beside: readonly RegExp[] = [
  /^E\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ memcache\.go:\d+\] /u,
  /^(?:WARNING|Trace ID|Correlation ID|Timestamp|To re-authenticate, please run):|^Interactive authentication is needed|^az (?:login|logout|account)\b/u,
  /^(?:See|Try|Run) '(?:kubectl|az) |^To learn more about |^https:\/\/(?:aka\.ms|(?:docs|learn)\.microsoft\.com)\//u,
  /^Traceback \(most recent call last\):$|^ {2,}\S|^(?:During handling of|The above exception was) |^(?:[a-z_]\w{0,40}\.){1,8}[A-Z]\w{2,60}(?:Error|Exception): /u,
];

/**
 * The command before the pipe failed where it was typed, and its own words (`2>&1`) say nothing of any machine: no way to the server, no
 * login, no right, or wrong arguments. Only where nothing else stands in the text: a node's log may hold the same line among others.
 */
export function readFailedQuestion(text: string): FoundSituation | undefined {
  const lines = text.split(/\r?\n|\r/u).map((line) => line.trimEnd());
  const told = lines.filter((line) => line !== "" && beside.every((pattern) => !pattern.test(line)));
  const kinds = told.map((line) => complaints.find((complaint) => complaint.line.test(line))?.kind);
  if (kinds.includes(undefined)) return undefined;
  const first = complaints.find(({ kind }) => kinds.includes(kind));
  return first === undefined ? undefined : { kind: first.kind, subject: {}, detail: cut(told[0] ?? "") };
}

const longestDetail = 240;

function cut(line: string): string {
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line;
}
