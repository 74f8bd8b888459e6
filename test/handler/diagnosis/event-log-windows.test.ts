import { describe, expect, test } from "@jest/globals";
import { errorEvents, showEvents, systemEvents } from "../../../handler/diagnosis/event-log-windows.ts";
import { showServices } from "../../../handler/diagnosis/service-list-windows.ts";

/** In the form that wevtutil prints with /f:RenderedXml (Windows Event Log schema, 2004/08). */
function event(parts: {
  readonly id: number;
  readonly level: number;
  readonly time: string;
  readonly message?: string;
  readonly levelWord?: string;
  readonly data?: string;
}): string {
  const { id, level, time, message, levelWord = "Error", data = "" } = parts;
  const rendering =
    message === undefined
      ? ""
      : `<RenderingInfo Culture='de-DE'><Message>${message}</Message><Level>${levelWord}</Level><Task></Task></RenderingInfo>`;
  return (
    "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>" +
    "<Provider Name='Service Control Manager' Guid='{555908d1-a6d7-4695-8e1e-26931d2012f4}' EventSourceName='Service Control Manager'/>" +
    `<EventID Qualifiers='49152'>${String(id)}</EventID><Version>0</Version><Level>${String(level)}</Level><Task>0</Task>` +
    `<TimeCreated SystemTime='${time}'/><EventRecordID>812</EventRecordID><Computer>capz-win-0</Computer></System>` +
    `<EventData>${data}</EventData>${rendering}</Event>\r\n`
  );
}

describe("events", () => {
  test("are one line each, oldest first, with UTC times and levels by their numbers, in every language", () => {
    const xml =
      event({
        id: 7031,
        level: 2,
        time: "2026-03-01T08:31:05.1234567Z",
        message: "Der Dienst &quot;kubelet&quot;\r\n  wurde beendet.",
        levelWord: "Fehler",
      }) +
      event({
        id: 7023,
        level: 3,
        time: "2026-03-01T08:30:05.0000000Z",
        message: "Le service s&#8217;est arrêté &lt;1&gt;",
        levelWord: "Avertissement",
      });
    expect(showEvents(xml)).toBe(
      [
        "2026-03-01T08:30:05Z Warning Service Control Manager 7023: Le service s’est arrêté <1>",
        '2026-03-01T08:31:05Z Error Service Control Manager 7031: Der Dienst "kubelet" wurde beendet.',
      ].join("\n"),
    );
  });

  test("without a message are told by what they were filled with", () => {
    const data = "<Data Name='param1'>kubelet</Data><Data Name='param2'>%%1067</Data>";
    expect(showEvents(event({ id: 7024, level: 2, time: "2026-03-01T08:30:05Z", data }))).toBe(
      "2026-03-01T08:30:05Z Error Service Control Manager 7024: kubelet, %%1067",
    );
  });

  test("of our own are left out: they quote failures of earlier runs", () => {
    const own = event({ id: 2, level: 3, time: "2026-03-01T08:31:05Z", message: "Bootstrap failed (KubeadmFailed)" });
    expect(showEvents(own.replace("Provider Name='Service Control Manager'", "Provider Name='capz-bootstrap'"))).toBe(
      "",
    );
    expect(showEvents(own)).not.toBe("");
  });

  test("of a translated Windows keep the number of their error", () => {
    const message = "Der Dienst wurde aufgrund folgenden Fehlers nicht gestartet: Zugriff verweigert";
    const data = "<EventData><Data Name='param1'>kubelet</Data><Data Name='param2'>%%5</Data></EventData>";
    const one = event({ id: 7000, level: 2, time: "2026-03-01T08:31:05Z", message });
    expect(showEvents(one.replace("</Event>", `${data}</Event>`))).toMatch(/: Zugriff verweigert %%5$/u);
    expect(showEvents(one)).not.toContain("%%");
  });

  test("of which the last is cut off lose that one alone", () => {
    const whole = event({ id: 7031, level: 2, time: "2026-03-01T08:31:05Z", message: "one" });
    expect(showEvents(whole + whole.slice(0, 300)).split("\n")).toHaveLength(1);
    expect(showEvents("")).toBe("");
  });

  test("are asked for by numbers", () => {
    expect(errorEvents("System", 400)).toEqual([
      "wevtutil.exe",
      "qe",
      "System",
      "/q:*[System[(Level=1 or Level=2 or Level=3) and TimeCreated[timediff(@SystemTime) <= {uptime-ms}]]]",
      "/c:400",
      "/rd:true",
      "/f:RenderedXml",
      "/uni:true",
    ]);
    const both =
      "/q:*[System[((Level=1 or Level=2 or Level=3) and TimeCreated[timediff(@SystemTime) <= {uptime-ms}]) or EventID=1074";
    expect(systemEvents(440)[3]).toContain(both);
    expect(systemEvents(440)[3]).toContain("EventID=6008");
  });
});

describe("services", () => {
  const block = (labels: readonly string[], name: string, state: string): string =>
    [
      `${labels[0] ?? ""}: ${name}`,
      `${labels[1] ?? ""}: Ein Dienst: mit Doppelpunkt`,
      `        ${labels[2] ?? ""}               : 10  WIN32_OWN_PROCESS`,
      `        ${labels[3] ?? ""}              : ${state}`,
      "                                (NOT_STOPPABLE, NOT_PAUSABLE, IGNORES_SHUTDOWN)",
      `        WIN32_EXIT_CODE    : 1067  (0x42b)`,
      "        SERVICE_EXIT_CODE  : 0  (0x0)",
      "        CHECKPOINT         : 0x0",
      "        WAIT_HINT          : 0x0",
      "",
    ].join("\r\n");
  const english = ["SERVICE_NAME", "DISPLAY_NAME", "TYPE ", "STATE "];
  const translated = ["NOM_SERVICE", "NOM_AFFICHAGE", "TYPE ", "ÉTAT "];

  test.each([
    ["English", english],
    ["translated", translated],
  ])("those of a node are one line each, by their numbers: %s", (_, labels) => {
    const output = [
      "",
      block(labels, "Spooler", "4  RUNNING"),
      block(labels, "kubelet", "1  STOPPED"),
      block(labels, "containerd", "4  RUNNING"),
    ].join("\r\n");
    expect(showServices(output).split("\n")).toEqual([
      "kubelet ActiveState=Stopped ExecMainStatus=1067",
      "containerd ActiveState=Running ExecMainStatus=1067",
    ]);
  });
});
