import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { errorText, systemErrorCode } from "../errors/handler-error.ts";
import type { ProcessExit, StartedProcess, StartProcess } from "../host.ts";
import { removeLink } from "../files/remove-link.ts";
import { withLimits } from "./limits.ts";

/**
 * Starts a program with its output in files. A pipe would stay open for as long as any left-over child holds it,
 * and the wait would outlive the deadline; a file cannot do that.
 */
export function startProcess(request: StartProcess): StartedProcess {
  const opened: number[] = [];
  try {
    const stdout = openOutput(request.stdoutFile, opened);
    const stderr = openOutput(request.stderrFile, opened);
    const [file, ...args] = request.argv;
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = withLimits(request.limits, () =>
      spawn(file, args, {
        cwd: request.cwd,
        env: { ...request.env },
        detached: request.ownSession,
        stdio: ["ignore", stdout, stderr],
        windowsHide: true,
        // cmd.exe reads its line by rules of its own; Node's quoting for other programs would change the command.
        windowsVerbatimArguments: /(?:^|\\)cmd\.exe$/iu.test(file),
      }),
    );
    return { pid: child.pid, exited: exitOf(child, request) };
  } catch (error) {
    return { pid: undefined, exited: Promise.resolve(notStarted(error, request)) };
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function openOutput(file: string, opened: number[]): number {
  removeLink(file);
  const descriptor = openSync(file, "w", 0o600);
  opened.push(descriptor);
  return descriptor;
}

/** Windows gives `exit -2` as 4294967294; people write and read -2. */
function signedExitCode(code: number): number {
  return code | 0;
}

/** `exit`, not `close`: the end of the process itself counts. */
function exitOf(child: ChildProcess, request: StartProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      resolve(notStarted(error, request));
    });
    child.once("exit", (code, signal) => {
      resolve(signal === null ? { kind: "code", code: signedExitCode(code ?? -1) } : { kind: "signal", signal });
    });
  });
}

function notStarted(error: unknown, request: StartProcess): ProcessExit {
  const systemCode = systemErrorCode(error);
  // spawn reports a missing working folder as if the program were missing.
  const reason = existsSync(request.cwd) ? errorText(error) : `the working folder ${request.cwd} does not exist`;
  return { kind: "not-started", reason, ...(systemCode === undefined ? {} : { systemCode }) };
}
