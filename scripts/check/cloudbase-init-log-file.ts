import { askOne, type Asking } from "./ask-many.ts";
import { beginning, readCloudbaseLog, type CloudbaseLog } from "./cloudbase-init-log.ts";

const home = "C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init";
const usualLog = `${home}\\log\\cloudbase-init.log`;

/** An own `logdir` or `logfile` stands in the configuration file. */
export function* findLog(): Asking<string> {
  const answer = yield* askOne({ ask: "text", path: `${home}\\conf\\cloudbase-init.conf` });
  if (answer?.kind !== "text") return usualLog;
  const folder = setting(answer.text, "log-?_?dir") ?? `${home}\\log`;
  const file = setting(answer.text, "log-?_?file") ?? "cloudbase-init.log";
  const path = /^(?:[a-z]:|[\\/])/iu.test(file) ? file : `${folder}\\${file}`;
  return path.replaceAll("/", "\\").replaceAll(/\\{2,}/gu, "\\");
}

function setting(text: string, name: string): string | undefined {
  const value = new RegExp(`^${name}[ \\t]*[=:](?<value>.*)$`, "imu").exec(text)?.groups?.["value"]?.trim();
  const unquoted = value?.replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/u, "$<inner>");
  return unquoted === undefined || unquoted === "" ? undefined : unquoted;
}

/** The output of user data stands in the log, on one line: a newest part without the beginning of the run is too small. */
export function* readLog(path: string): Asking<CloudbaseLog> {
  const answer = yield* askOne({ ask: "log", path });
  if (answer?.kind !== "text") return { runs: [], clockWentBack: false, lacksBeginning: false };
  if (!answer.cut || answer.text.includes(beginning)) return readCloudbaseLog(answer.text);
  const more = yield* askOne({ ask: "log", path, maxBytes: 8 * 1024 * 1024 });
  return readCloudbaseLog(more?.kind === "text" ? more.text : answer.text);
}
