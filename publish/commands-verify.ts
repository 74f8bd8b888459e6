import type { Command } from "commander";
import { formatTable, printResult } from "./print.ts";
import { PublishError } from "./publish-error.ts";

/** `verify`. */
export function addVerifyCommand(program: Command): void {
  program
    .command("verify")
    .description("check everything about a package that can be known offline")
    .argument("<package>", "path of the zip")
    .option("--json", "print JSON")
    .action(async (path: string, options: { readonly json?: boolean }) => {
      const { verifyPackage } = await import("./verify/verify-package.ts");
      const rows = await verifyPackage(path);
      const table = rows.flatMap(({ id, title, result, details }) => [
        [result, id, details.length === 0 ? title : (details[0] ?? "")],
        ...details.slice(1).map((detail) => ["", "", detail]),
      ]);
      printResult(options.json, rows, formatTable(table));
      const failed = rows.filter(({ result }) => result === "failed");
      if (failed.length > 0) {
        throw new PublishError(
          `${path} fails ${failed.length} of ${rows.length} checks: ${failed.map(({ id }) => id).join(", ")}.`,
          "Do not publish it; build it again from a clean checkout.",
        );
      }
    });
}
