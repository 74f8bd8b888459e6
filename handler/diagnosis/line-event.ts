import type { ShownText } from "../text/shown-text.ts";
import type { SourceId } from "./diagnosis.ts";

/** A log as the collector names it. */
export interface LogOrigin {
  readonly source: SourceId;
  /** Where a person finds it: a path, "journalctl -u kubelet". */
  readonly origin: string;
  /** Further sources whose rules apply, for a text of mixed content. */
  readonly also?: readonly SourceId[];
}

/** One line that a pattern matched. */
export interface LineEvent {
  readonly source: SourceId;
  readonly origin: string;
  /** Order in which the logs were fed. */
  readonly originIndex: number;
  /** In the order of the log; a line within a literal counts like any other. */
  readonly line: number;
  /** Where a person finds it. */
  readonly fileLine: number;
  readonly text: ShownText;
  /** Parts of the line as it may be shown. */
  readonly groups: Readonly<Record<string, ShownText>>;
  /** Seconds since 1 January, where the line carries a date. */
  readonly time?: number;
}

/** What one pattern matched in one log: bounded whatever the log's size. */
export interface OriginMatches {
  count: number;
  readonly first: LineEvent[];
  /** The last one or two. */
  readonly last: LineEvent[];
}

/** Where the last run of kubeadm in a log begins. */
export interface AttemptStart {
  readonly originIndex: number;
  readonly line: number;
}
