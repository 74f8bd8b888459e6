import { HandlerError } from "../errors/handler-error.ts";
import type { SettingsProblem } from "./settings.ts";

/** One error that names all problems; its code is the more precise one where every problem has the same. */
export function settingsError(problems: readonly SettingsProblem[]): HandlerError {
  const ids = new Set(problems.map((problem) => problem.errorId ?? "settingsInvalid"));
  const [only = "settingsInvalid"] = ids;
  const list = problems.map((problem) => problem.message).join("; ");
  const count = problems.length === 1 ? "" : `${problems.length} settings are not valid: `;
  return new HandlerError(ids.size === 1 ? only : "settingsInvalid", `${count}${list}`);
}
