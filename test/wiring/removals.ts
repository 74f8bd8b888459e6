/** One call whose loss no type, no linter and no other part of the program would notice. */
export interface Removal {
  /** What is lost with it, as the end of "without …". */
  readonly what: string;
  readonly file: string;
  /** Stands once in the file. */
  readonly code: string;
  /** Takes its place; nothing, unless the code around needs a value. */
  readonly instead?: string;
  /** Must fail without it: the file, and a test in it (or the constant begin of the name of one). */
  readonly test: readonly [file: string, name: string];
}

const wiring = "test/lifecycle/wiring.test.ts";
const durability = "test/handler/state/durability.test.ts";

/** docs/reliability.md shows them as a table; `npm run wiring` takes each out of a copy of the sources and runs its test. */
export const removals: readonly Removal[] = [
  {
    what: "the flush of a verdict's file",
    file: "handler/files/replace-file.ts",
    code: "    if (durable) fsyncSync(file);\n",
    test: [durability, "the verdict success is on the disk before anybody can read it"],
  },
  {
    what: "the flush of its folder",
    file: "handler/files/replace-file.ts",
    code: "  if (durable) syncFolder(dirname(path));\n",
    test: [durability, "the verdict error is on the disk before anybody can read it"],
  },
  {
    what: "the flush of the state of a started command",
    file: "handler/state/run-state.ts",
    code: ", durable: isPrecious(state)",
    instead: ", durable: false",
    test: [durability, "a state with a verdict, or with a command that was started, is on the disk before it counts"],
  },
  {
    what: "the saving on flushes of progress",
    file: "handler/contract/status-file.ts",
    code: ", durable });",
    instead: " });",
    test: [durability, "what is made again after a power cut costs the disk no flush: progress, a begun wait, mrseq"],
  },
  {
    what: "the rotation of the log",
    file: "handler/logging/quick-log.ts",
    code: "      rotate(target.folder);\n",
    test: [wiring, "the log is rotated when it has reached its size, and holds the verdict"],
  },
  {
    what: "the verdict in the log",
    file: "handler/operations/supervise/conclude-run.ts",
    code: "  log.infoShown(ours`verdict: ${show(status.kind)}, code ${status.code}: ${words.line}`);\n",
    test: [wiring, "the log is rotated when it has reached its size, and holds the verdict"],
  },
  {
    what: "the emptying of older settings",
    file: "handler/operations/supervise/supervise.ts",
    code: "  await emptyOlderSettings(context.environment.configFolder, context);\n",
    test: [wiring, "the settings file of the older sequence is empty, the newer one is as the agent wrote it"],
  },
  {
    what: "the removal of older scripts, outputs and states",
    file: "handler/operations/agent/enable.ts",
    code: "  removeOtherSequences(instance, sequence);\n",
    test: [wiring, "script, output and state of the older sequence are gone"],
  },
  {
    what: "the removal of files with removeFiles",
    file: "handler/operations/supervise/run-users-command.ts",
    code: "  await removeFilesOfCommand(run);\n",
    test: [
      "test/lifecycle/command.test.ts",
      "what a command finds the file of its line is gone when it has ended; a script stays, unless removeFiles is set",
    ],
  },
  {
    what: "the event for the agent",
    file: "handler/operations/supervise/conclude-run.ts",
    code: '  await tell(run, status.kind === "error" ? "Error" : "Informational", words.line);\n',
    test: [wiring, "an event with the verdict's first line is handed to the agent"],
  },
  {
    what: "the line on the console",
    file: "handler/operations/supervise/publish-report.ts",
    code: "    await writeConsoleLine(host.platform.console(host.root), words.line);\n",
    test: [wiring, "the verdict's first line stands on the console"],
  },
  {
    what: "echoToConsole",
    file: "handler/operations/supervise/publish-report.ts",
    code: "  if (settings?.echoToConsole !== false) {",
    instead: "  {",
    test: [wiring, "echoToConsole false keeps the console clean"],
  },
  {
    what: "the upload of the report",
    file: "handler/operations/supervise/supervise.ts",
    code: "  const uploaded = await uploadBeforeVerdict(run, diagnosed, settings);",
    instead: '  const uploaded = { ...diagnosed, report: "uploaded" as const };',
    test: [wiring, "the report is on the machine, and is uploaded as a bundle"],
  },
  {
    what: "graceSeconds",
    file: "handler/check/running/run-command.ts",
    code: "graceMs: check.waitsForSentinel ? 0 : request.settings.graceSeconds * 1000,",
    instead: "graceMs: 0,",
    test: [wiring, "graceSeconds: a command that the deadline ends has that time between the request and the kill"],
  },
  {
    what: "the verdict in the state",
    file: "handler/operations/supervise/conclude-run.ts",
    code: "    .saveVerdict({ status, decidedAt: host.now().toISOString(), afterSeconds: verdict.elapsedSeconds, final })\n",
    instead:
      "    .note({ event: status.kind, elapsedMs: final ? 0 : verdict.elapsedSeconds * host.now().getTime() * 0 })\n",
    test: [wiring, "the state keeps the verdict, and mrseq the sequence"],
  },
  {
    what: "mrseq",
    file: "handler/operations/agent/enable.ts",
    code: "  await writeLastSequence({ handlerFolder: environment.handlerFolder, sequence, extensionName, sleep: host.sleep });\n",
    test: [wiring, "the state keeps the verdict, and mrseq the sequence"],
  },
  {
    what: "the proxy for files",
    file: "handler/check/obtain/obtain-command.ts",
    code: "useProxy(request.settings.proxy, request.host.env)",
    instead: "useProxy(undefined, request.host.env)",
    test: [
      "test/lifecycle/closed-network.test.ts",
      "files, a private blob and the report go through the setting proxy, and trust the system's own authority",
    ],
  },
  {
    what: "the proxy for the check bundle",
    file: "handler/check/obtain/obtain-bundle.ts",
    code: "useProxy(settings.proxy, host.env)",
    instead: "useProxy(undefined, host.env)",
    test: ["test/lifecycle/closed-network.test.ts", "a check bundle is asked for through the proxy, too"],
  },
  {
    what: "the proxy for storage",
    file: "handler/transfer/azure-storage.ts",
    code: "proxyForUrl(url, settings.proxy, host.env)",
    instead: "proxyForUrl(url, undefined, host.env)",
    test: [
      "test/lifecycle/closed-network.test.ts",
      "files, a private blob and the report go through the setting proxy, and trust the system's own authority",
    ],
  },
  {
    what: "the sweeping of half-written files",
    file: "handler/operations/agent/enable.ts",
    code: "  sweepUp(context);\n",
    test: [
      "test/lifecycle/behaviour.test.ts",
      "behaviour rows of the peers, with our answer what a killed command left half written is gone after the next enable",
    ],
  },
  {
    what: "the guarding of standard output",
    file: "handler/operations/terminal.ts",
    code: "  answers().write(withLineEnd(text));",
    instead: "  process.stdout.write(withLineEnd(text));",
    test: [
      "test/lifecycle/closed-output.test.ts",
      "a reader that has closed the pipe does not change the exit code; a full disk is told and is no verdict",
    ],
  },
  {
    what: "the way without HandlerEnvironment.json",
    file: "handler/operations/agent/run-agent-command.ts",
    code: "disable(await loadStopContext(host, name))",
    instead: "disable(await loadAgentContext(host, name))",
    test: [
      "test/lifecycle/broken-environment.test.ts",
      "disable ends the supervisor though HandlerEnvironment.json is empty, and says so",
    ],
  },
];
