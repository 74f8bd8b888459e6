import { describedFields, type DescribedFields } from "./described-fields.ts";

/**
 * The text of `kubectl describe` for objects of Cluster API and CAPZ: the fields of the object in the order of the alphabet, their names
 * put apart ("Provider ID", "Last Transition Time"), a list's items without dashes. Events follow as a table.
 */
export interface Described {
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
    readonly spec: { readonly providerID?: string };
    /** Of a BootstrapVerdict. */
    readonly machine?: DescribedFields;
    readonly verdict?: DescribedFields;
    readonly status: { readonly vmState?: string; readonly conditions: readonly Readonly<Record<string, string>>[] };
  };
  /** Messages of the table of events. */
  readonly events: readonly string[];
}

export function readDescribed(text: string): Described | undefined {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const name = fieldOf(lines, "Name");
  const kind = fieldOf(lines, "Kind");
  const apiVersion = fieldOf(lines, "API Version");
  if (name === undefined || kind === undefined || apiVersion === undefined) return undefined;
  const namespace = fieldOf(lines, "Namespace");
  const providerID = fieldOf(lines, "  Provider ID");
  const vmState = fieldOf(lines, "  Vm State");
  const verdict = describedFields(lines, "Verdict");
  const machine = describedFields(lines, "Machine");
  return {
    object: {
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      ...(verdict === undefined || machine === undefined ? {} : { machine, verdict }),
      spec: providerID === undefined ? {} : { providerID },
      status: { ...(vmState === undefined ? {} : { vmState }), conditions: conditionsOf(lines) },
    },
    events: eventsOf(lines),
  };
}

/** The value of a field at exactly this indentation. */
function fieldOf(lines: readonly string[], label: string): string | undefined {
  const line = lines.find((one) => one.startsWith(`${label}:`));
  const value = line?.slice(label.length + 1).trim();
  return value === "" || value === "<none>" ? undefined : value;
}

/** Every "Conditions:" block, whatever it lies in; a condition begins where a field comes again, and a message goes on over its lines. */
function conditionsOf(lines: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return lines.flatMap((line, at) => (/^ +Conditions:$/u.test(line) ? blockAt(lines, at) : []));
}

function blockAt(lines: readonly string[], start: number): readonly Readonly<Record<string, string>>[] {
  const indent = (lines[start] ?? "").search(/\S/u) + 2;
  const conditions: Record<string, string>[] = [{}];
  let field = "";
  for (const line of lines.slice(start + 1)) {
    const found = conditionField(line, indent);
    if (found === undefined) {
      // A message of several lines begins anew at any column.
      if (field !== "message" || isOtherField(line, indent)) break;
      const last = conditions.at(-1) ?? {};
      last["message"] = `${last["message"] ?? ""}\n${line.trim()}`;
      continue;
    }
    if (found.name in (conditions.at(-1) ?? {})) conditions.push({});
    Object.assign(conditions.at(-1) ?? {}, { [found.name]: found.value });
    field = found.name;
  }
  return conditions;
}

const conditionFields: Readonly<Record<string, string>> = {
  "Last Transition Time": "lastTransitionTime",
  "Last Heartbeat Time": "lastHeartbeatTime",
  "Observed Generation": "observedGeneration",
  Message: "message",
  Reason: "reason",
  Severity: "severity",
  Status: "status",
  Type: "type",
};

function conditionField(line: string, indent: number): { readonly name: string; readonly value: string } | undefined {
  const colon = line.indexOf(":");
  const name = conditionFields[line.slice(indent, Math.max(indent, colon))];
  const isThere = name !== undefined && line.search(/\S/u) === indent;
  return isThere ? { name, value: line.slice(colon + 1).trim() } : undefined;
}

/** A field beside "Conditions:", which stands two columns before theirs, or the table of events. */
function isOtherField(line: string, indent: number): boolean {
  const blank = line.search(/\S/u);
  return line.startsWith("Events:") || (blank === indent - 2 && /^ *[A-Z][A-Za-z0-9 ]{1,40}:(?: |$)/u.test(line));
}

/** `Type Reason Age From Message`; the message is what stands behind the fourth column. */
function eventsOf(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.startsWith("Events:"));
  if (start === -1) return [];
  return lines
    .slice(start + 1)
    .map((line) => eventMessage(line))
    .filter((message) => message !== undefined);
}

function eventMessage(line: string): string | undefined {
  const [type = "", , , , ...message] = line.trim().split(/ {2,}/u);
  return type === "Warning" || type === "Normal" ? message.join("  ") : undefined;
}
