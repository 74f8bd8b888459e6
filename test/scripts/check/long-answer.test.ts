import { expect, test } from "@jest/globals";
import { loadProgram } from "../../../handler/check/program/load-program.ts";
import { runLook, type LookEnd } from "../../../handler/check/program/run-look.ts";
import { buildCheck } from "../../../publish/check-bundle.ts";
import type { Answer, Question } from "../../../scripts/check/questions.ts";
import { checkHost } from "../../support/check-host.ts";
import { pythonLiteral } from "../../support/python-literal.ts";

const at = "2026-01-31 12:00:00.120 1840";
const printed =
  '+ a step of the user\'s script, with "quotes" and a C:\\path\n'.repeat(20_000) +
  "[preflight] Running pre-flight checks\nerror execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR Port-10250]: Port 10250 is in use\n";
const log = [
  `${at} INFO cloudbaseinit.init [-] Cloudbase-Init version: 1.1.6`,
  `${at} DEBUG cloudbaseinit.init [-] Instance id: vm-1 configure_host`,
  `${at} INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'`,
  `${at} DEBUG cloudbaseinit.plugins.common.userdatautils [-] User_data stdout:`,
  pythonLiteral(printed),
  `${at} INFO cloudbaseinit.plugins.common.userdatautils [-] User_data script ended with return code: 1`,
  `${at} INFO cloudbaseinit.init [-] Plugins execution done`,
  "",
].join("\r\n");
const now = Date.parse("2026-01-31T12:01:00Z");

const logFile = { kind: "file", size: log.length, modifiedMs: now, changedMs: now } as const;
/** By what is asked; nothing else is there. */
const answers: Partial<Record<Question["ask"], Answer>> = {
  log: { kind: "known", value: { kind: "text", text: log, cut: false } },
  boot: { kind: "known", value: { id: "boot", uptimeMs: 600_000 } },
  machine: { kind: "known", value: { vmId: "vm", hostName: "node" } },
  time: { kind: "known", value: { wallMs: now, monotonicMs: 600_000 } },
  services: { kind: "known", value: {} },
  processes: { kind: "known", value: [] },
};

function answer(question: Question): Answer {
  if (question.ask === "path" && question.path.endsWith("cloudbase-init.log")) return { kind: "known", value: logFile };
  return answers[question.ask] ?? { kind: "known", value: { kind: "absent" } };
}

function look(source: string): Promise<LookEnd> {
  return runLook({
    host: checkHost(),
    program: loadProgram(source, { limitMs: "none" }),
    context: { system: "windows", provider: "auto", elapsedMs: 0, timeoutMs: 1_200_000, memory: {} },
    answer,
    limitMs: 60_000,
    signal: new AbortController().signal,
  });
}

test("a log of megabytes is judged the same whether it comes beside the JSON or in it, as an older handler gives it", async () => {
  const source = (await buildCheck()).toString("utf8");
  const inJson = source.replace("takesTextBeside: true", "takesTextBeside: false");
  expect(inJson).not.toBe(source);
  const end = await look(source);
  expect(end).toMatchObject({ kind: "result", result: { verdict: "failed" } });
  expect(JSON.stringify(end.kind === "result" ? end.result : end)).toContain("[ERROR Port-10250]");
  expect(end).toEqual(await look(inJson));
});
