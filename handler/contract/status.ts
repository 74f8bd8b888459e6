import type { ShownText } from "../text/shown-text.ts";

/** What the guest agent may read from `N.status` (WALinuxAgent: exthandlers, parse_ext_status). */
export type StatusKind = "transitioning" | "success" | "warning" | "error";

export interface Substatus {
  readonly name: ShownText;
  readonly status: StatusKind;
  readonly code: number;
  readonly message: ShownText;
}

/** One extension status as a value; status-file.ts alone turns it into a file. */
export interface Status {
  readonly kind: StatusKind;
  readonly operation: "Enable";
  readonly code: number;
  /** Never empty; the first line (at most 200 characters) is the whole verdict. */
  readonly message: ShownText;
  readonly substatuses: readonly Substatus[];
}
