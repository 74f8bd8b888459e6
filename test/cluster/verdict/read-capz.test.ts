import { describe, expect, test } from "@jest/globals";
import { capzTurn, readCapzObject } from "../../../cluster/verdict/read-capz.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { failedVerdict } from "../../support/verdict-samples.ts";

const now = "2026-01-31T12:02:00.000Z";

function azureMachine(condition: Readonly<Record<string, unknown>> | undefined) {
  const conditions =
    condition === undefined
      ? []
      : [{ type: "BootstrapSucceeded", lastTransitionTime: "2026-01-31T12:01:20Z", ...condition }];
  return {
    kind: "AzureMachine",
    status: { conditions: [{ type: "Ready", status: "False", reason: "Failed" }, ...conditions] },
  };
}

/** The error of ARM as CAPZ puts it into its condition (cluster-api-provider-azure: async.go, "failed to create or update resource"). */
const wrapped = `failed to create or update resource rg/CAPZ.Linux.Bootstrapping (service: vmextensions): extension state failed: {
  "status": "Failed",
  "error": { "code": "VMExtensionProvisioningError", "message": "VM has reported a failure when processing extension. Error message: '${verdictStatus(failedVerdict()).message.split("\n")[0] ?? ""}'. More information on troubleshooting is available at https://aka.ms/x" }
}`;

describe("readCapzObject", () => {
  test("finds our first line in the error that CAPZ wrapped, with the time of the condition", () => {
    const account = readCapzObject(
      azureMachine({ status: "False", severity: "Error", reason: "Failed", message: wrapped }),
      now,
    );
    expect(account).toMatchObject({
      source: "capzCondition",
      outcome: "failed",
      reason: "DnsResolutionFailed",
      time: "2026-01-31T12:01:20.000Z",
    });
    expect(account?.evidence).toEqual([]);
  });

  test("takes True for no word at all, whatever stands in its message", () => {
    expect(readCapzObject(azureMachine({ status: "True" }), now)).toBeUndefined();
    expect(readCapzObject(azureMachine({ status: "True", message: wrapped }), now)).toBeUndefined();
  });

  test("tells a wait, and the failure of a scale set instance whose text is always the same", () => {
    expect(readCapzObject(azureMachine({ status: "False", reason: "Creating", message: "" }), now)?.outcome).toBe(
      "waiting",
    );
    expect(
      readCapzObject(azureMachine({ status: "False", reason: "BootstrapFailed", message: "failed" }), now),
    ).toMatchObject({
      outcome: "failed",
      reason: "BootstrapFailed",
    });
  });

  test("does not call another extension's failure one of the bootstrap", () => {
    const other = azureMachine({ status: "False", reason: "Failed", message: "extension MyMonitor failed" });
    expect(readCapzObject(other, now)).toMatchObject({ outcome: "unknown", reason: "NoAnswer" });
  });

  test.each([[azureMachine(undefined)], [{}], [null], ["x"]])(
    "gives nothing where there is no condition (%#)",
    (value) => {
      expect(readCapzObject(value, now)).toBeUndefined();
    },
  );
});

describe("capzTurn", () => {
  const turn = (condition: Readonly<Record<string, unknown>> | undefined) => capzTurn(azureMachine(condition));
  test("differs when CAPZ turns its condition, and not when another condition or the words change", () => {
    const creating = { status: "False", reason: "Creating", message: "a" };
    expect(turn(creating)).toBe(turn({ ...creating, message: "b" }));
    expect(new Set([turn(undefined), turn(creating), turn({ status: "True" })]).size).toBe(3);
    expect(turn({ status: "True" })).not.toBe(turn({ status: "True", lastTransitionTime: "2026-01-31T13:00:00Z" }));
  });

  test.each([[undefined], [null], [7], ["text"], [{}], [{ status: { conditions: [null, 3, {}] } }]])(
    "finds none in %j",
    (value) => {
      expect(capzTurn(value)).toBeUndefined();
    },
  );
});
