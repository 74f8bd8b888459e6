import type { Command } from "commander";
import { printResult } from "./print.ts";

interface JsonOption {
  readonly json?: boolean;
}

/** `build`, `client`, `cluster` and `package`. */
export function addBuildCommands(program: Command): void {
  program
    .command("build")
    .description("bundle the handler into dist/build")
    .option("--json", "print JSON")
    .action(async (options: JsonOption) => {
      const { buildFolder, buildProgram, writeProgram } = await import("./build-program.ts");
      const built = await buildProgram();
      const paths = await writeProgram(built, buildFolder);
      const files = built.files.map(({ name, content }, index) => ({
        name,
        path: paths[index],
        bytes: content.length,
      }));
      const lines = files.map(({ path, bytes }) => `${path ?? ""}  ${bytes} bytes\n`);
      printResult(options.json, { version: built.version, files }, lines.join(""));
    });

  program
    .command("client")
    .description("bundle the commands that need no node into one file and a package of npm, in dist/client")
    .option("--json", "print JSON")
    .action(async (options: JsonOption) => {
      const { buildClient } = await import("./build-client.ts");
      const built = await buildClient();
      const lines = `${built.program}  ${String(built.bytes)} bytes\n  sha256 ${built.sha256}\n${built.archive}\n${built.sbom}\n`;
      printResult(options.json, built, lines);
    });

  program
    .command("cluster")
    .description("bundle the program of the management side and its kubectl plugin into dist/cluster")
    .option("--json", "print JSON")
    .action(async (options: JsonOption) => {
      const { buildCluster } = await import("./build-cluster.ts");
      const built = await buildCluster();
      printResult(
        options.json,
        built,
        `${built.program}  ${String(built.bytes)} bytes\n${built.archive}\n${built.manifest}\n`,
      );
    });

  program
    .command("package")
    .description("build the zip of an operating system into dist/; the same sources give the same bytes")
    .argument("[system]", "linux, windows or all", "all")
    .option("--json", "print JSON")
    .option("--out <folder>", "folder of the zip instead of dist/")
    .option("--trusted-keys <file>", "keys whose signed check bundles the package accepts (none without it)")
    .action(async (system: string, options: JsonOption & { readonly out?: string; readonly trustedKeys?: string }) => {
      const { parseOperatingSystems } = await import("./extension-definition.ts");
      const { buildPackage } = await import("./build-package.ts");
      const built = [];
      for (const os of parseOperatingSystems(system))
        built.push(await buildPackage(os, { folder: options.out, trustedKeys: options.trustedKeys }));
      const lines = built.map(({ path, sha256, bytes }) => `${path}\n  sha256 ${sha256}\n  ${megabytes(bytes)} MB\n`);
      printResult(options.json, built, lines.join(""));
    });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
