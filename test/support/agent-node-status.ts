import * as v from "valibot";

/** The agent writes null where a handler gave nothing. */
const text = v.pipe(
  v.nullish(v.string()),
  v.transform((value) => value ?? ""),
);
const number = v.pipe(
  v.nullish(v.number()),
  v.transform((value) => value ?? undefined),
);
const message = v.pipe(
  v.nullish(v.object({ message: text })),
  v.transform((value) => value?.message ?? ""),
);

const substatus = v.object({ name: text, status: v.string(), code: number, formattedMessage: message });

const settingsStatus = v.object({
  status: v.object({
    status: text,
    code: number,
    formattedMessage: message,
    substatus: v.pipe(
      v.nullish(v.array(substatus)),
      v.transform((value) => value ?? []),
    ),
  }),
});

const blob = v.object({
  aggregateStatus: v.object({
    handlerAggregateStatus: v.array(
      v.object({
        handlerName: v.string(),
        handlerVersion: v.string(),
        status: v.string(),
        code: number,
        formattedMessage: message,
        runtimeSettingsStatus: v.nullish(v.object({ sequenceNumber: number, settingsStatus })),
      }),
    ),
  }),
});

/** One handler of an uploaded status blob, as Azure's compute service reads it. */
export interface HandlerReport {
  readonly name: string;
  readonly version: string;
  /** Ready, NotReady … */
  readonly handlerStatus: string;
  readonly handlerCode: number | undefined;
  readonly handlerMessage: string;
  readonly sequence: number | undefined;
  /** The extension's own status; undefined when the blob has none. */
  readonly status: string | undefined;
  readonly code: number | undefined;
  readonly message: string;
  readonly substatuses: readonly ReportedSubstatus[];
}

interface ReportedSubstatus {
  readonly name: string;
  readonly status: string;
  readonly code: number | undefined;
  readonly message: string;
}

/** Handlers of a raw status blob; undefined when there is no blob yet. */
export function agentStatusOf(text: string | undefined): readonly HandlerReport[] | undefined {
  if (text === undefined) return undefined;
  const parsed = v.parse(blob, JSON.parse(text));
  return parsed.aggregateStatus.handlerAggregateStatus.map((handler) => {
    const settings = handler.runtimeSettingsStatus;
    const status = settings?.settingsStatus.status;
    return {
      name: handler.handlerName,
      version: handler.handlerVersion,
      handlerStatus: handler.status,
      handlerCode: handler.code,
      handlerMessage: handler.formattedMessage ?? "",
      sequence: settings?.sequenceNumber,
      status: status?.status,
      code: status?.code,
      message: status?.formattedMessage ?? "",
      substatuses: (status?.substatus ?? []).map((item) => ({
        name: item.name ?? "",
        status: item.status,
        code: item.code,
        message: item.formattedMessage ?? "",
      })),
    };
  });
}
