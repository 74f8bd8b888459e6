import { tmpdir } from "node:os";
import { basename } from "node:path";
import { removeFolder } from "./own-temporary-folder.ts";

/** Jest calls it after the last test. */
export default function leaveTemporaryFolder(): void {
  if (basename(tmpdir()).startsWith("capz-tests-")) removeFolder(tmpdir());
}
