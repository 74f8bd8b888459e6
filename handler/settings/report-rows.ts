import type { SettingRow } from "./setting-row.ts";
import { logLevels, uploadMethods } from "./settings.ts";

const open = { place: "either", secret: false } as const;
const hidden = { place: "either", secret: true } as const;
const protectedOnly = { place: "protected", secret: true } as const;

/** How a verdict is told beside the status. */
export const reportRows = {
  echoToConsole: {
    ...open,
    type: "boolean",
    group: "report",
    default: true,
    description:
      "Writes the verdict as one line to the serial console, so that boot diagnostics show it. On Windows that is COM1, and the line is an event of the source `capz-bootstrap` in the Application log too.",
    examples: [false],
  },
  reportUploadUri: {
    ...hidden,
    type: "url",
    group: "report",
    schemes: "loopback-http",
    description:
      "Where the full report of a failure goes before the failure is told: a container or a blob of Azure storage (with a SAS token, or with the managed identity), or any other https address. Never changes the verdict.",
    examples: ["https://example.blob.core.windows.net/reports", "https://reports.example.com/nodes/"],
  },
  reportUploadMethod: {
    ...open,
    type: "choice",
    group: "report",
    values: uploadMethods,
    default: "PUT",
    description: "How the report is sent to an address that is not Azure storage.",
    examples: ["POST"],
  },
  reportUploadAuthorization: {
    ...protectedOnly,
    type: "text",
    group: "report",
    pattern: "^[\\x20-\\x7e]+$",
    allowed: "the value of an Authorization header: printable ASCII on one line",
    maximumLength: 8192,
    description:
      "Header `Authorization` of the upload to an address that is not Azure storage. It goes to that address only, and never along a redirect.",
    examples: ["Bearer 4f1c0000-example"],
  },
  logLevel: {
    ...open,
    type: "choice",
    group: "report",
    values: logLevels,
    default: "info",
    description: "What `handler.log` holds: `debug` also notes what each new look of the check saw.",
    examples: ["debug"],
  },
} as const satisfies Record<string, SettingRow>;
