import { rangesOfAskedStops } from "./asked-stops.ts";
import { rangesDoneAgain } from "./done-again.ts";
import { rangesOfBrokenWarnings } from "./open-statement.ts";
import { recoveredRanges } from "./pasted-text.ts";
import { rangesOfProbedMounts } from "./probed-mounts.ts";
import { rangesOfRecordsThatWentWell } from "./run-together.ts";
import { rangesOfSchemaWarnings } from "./schema-warnings.ts";
import { rangesOfTriedEndpoints } from "./tried-endpoints.ts";
import { rangesOfUnitsUp } from "./unit-status.ts";
import type { LineRange } from "./unwrap.ts";

/** Lines of a log that tell of failures which by their place in it count for nothing. */
export function passedOver(text: string): readonly LineRange[] {
  return [
    ...recoveredRanges(text),
    ...rangesOfUnitsUp(text),
    ...rangesOfAskedStops(text),
    ...rangesDoneAgain(text),
    ...rangesOfProbedMounts(text),
    ...rangesOfBrokenWarnings(text),
    ...rangesOfSchemaWarnings(text),
    ...rangesOfTriedEndpoints(text),
    ...rangesOfRecordsThatWentWell(text),
  ];
}
