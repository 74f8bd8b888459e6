import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import { addressOf } from "../support/http-server.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** What the status said when the report came. */
  readonly status: string;
}

let current: LifecycleMachine | undefined;
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await current?.discard();
});

/** Takes reports; `answer` undefined: never answers. */
async function receive(answer: { readonly status: number; readonly location?: string } | undefined) {
  const got: Got[] = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      got.push({ method, url, headers, body: Buffer.concat(parts), status: statusNow() });
      if (answer === undefined) return;
      response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location }).end();
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { got, address: `http://127.0.0.1:${String(addressOf(server.address()).port)}` };
}

function statusNow(): string {
  return JSON.stringify(current?.agent.status(0) ?? "");
}

async function failedRun(
  settings: Readonly<Record<string, unknown>>,
  protectedSettings: Readonly<Record<string, unknown>>,
) {
  const made = (current = createLifecycleMachine());
  made.agent.putSettings(0, {
    publicSettings: { commandToExecute: "echo out of luck; exit 7", ...settings },
    protectedSettings,
  });
  await made.agent.run("install", 0);
  await made.agent.run("enable", 0);
  return { status: await waitForStatus(made.agent, 0), made };
}

test("the report is there before the error is told, and the verdict names its address without the credential", async () => {
  const { got, address } = await receive({ status: 201 });
  const { status, made } = await failedRun(
    { logLevel: "debug" },
    {
      reportUploadUri: `${address}/reports/?key=s3cretOfTheStore`,
      reportUploadAuthorization: "Bearer s3cretOfTheHeader",
    },
  );
  const [report] = got;
  expect(report).toMatchObject({ method: "PUT", headers: { authorization: "Bearer s3cretOfTheHeader" } });
  expect(report?.status).toContain("transitioning");
  expect(report?.status).not.toContain("Bootstrap failed");
  expect(new AdmZip(report?.body).getEntries().map(({ entryName }) => entryName)).toContain("report.html");
  const shown = `${address}${(report?.url ?? "").split("?")[0] ?? ""}`;
  expect(shown).toMatch(/\/reports\/capz-bootstrap\/[^/]+\/[^/]+\.zip$/u);
  expect(status.message).toContain(`\nFull report: ${shown}\n`);
  expect(JSON.stringify(status)).toContain(`\\"reportUri\\":\\"${shown}\\"`);
  const log = logOf(made);
  expect(log).toContain('"level":"debug"');
  expect(`${JSON.stringify(status)}${log}`).not.toContain("s3cretOf");
  expect(got).toHaveLength(1);
});

test("what is posted is named where the server says that it lies", async () => {
  const { got, address } = await receive({ status: 201, location: "/nodes/42?token=s3cretPlace" });
  const { status } = await failedRun(
    { reportUploadMethod: "POST", logLevel: "error" },
    { reportUploadUri: `${address}/hook` },
  );
  expect(got[0]).toMatchObject({ method: "POST", url: "/hook" });
  expect(status.message).toContain(`\nFull report: ${address}/nodes/42\n`);
  expect(JSON.stringify(status)).not.toContain("s3cretPlace");
  expect(current === undefined ? "" : logOf(current)).not.toContain(
    '"operation":"supervise","sequence":0,"level":"info"',
  );
});

test("a place of many thousand letters that the server names takes no room from the verdict", async () => {
  const { got, address } = await receive({ status: 201, location: `/${"a-".repeat(5000)}` });
  const { status } = await failedRun({ reportUploadMethod: "POST" }, { reportUploadUri: `${address}/hook` });
  expect(got).toHaveLength(1);
  expect(status.message).toContain("[stdout]\nout of luck");
  expect(status.message).not.toContain("Full report: ");
});

test.each([
  ["refuses", { status: 403 }],
  ["redirects", { status: 307, location: "http://127.0.0.1:9/elsewhere" }],
  ["never answers", undefined],
])("a server that %s costs no verdict", async (_, answer) => {
  const { got, address } = await receive(answer);
  const { status } = await failedRun({}, { reportUploadUri: `${address}/reports/` });
  expect(status.message).toMatch(/^Bootstrap failed \(/u);
  expect(status.message).not.toContain("Full report: ");
  expect(got.length).toBeGreaterThanOrEqual(1);
});

function logOf({ machine }: LifecycleMachine): string {
  const below = readdirSync(machine.root, { recursive: true, encoding: "utf8" });
  const path = below.find((name) => name.endsWith("handler.log"));
  return path === undefined ? "" : readFileSync(join(machine.root, path), "utf8");
}
