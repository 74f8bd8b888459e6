import type { Command } from "commander";
import { printResult } from "./print.ts";

interface OutOption {
  readonly out: string;
}

/** `sbom`, `notice`, `vm-application`, `checksums`, `provenance` and `notes`: the files that a release shows beside its packages. */
export function addReleaseCommands(program: Command): void {
  addNotes(program);
  for (const [name, entry] of [
    ["sbom", "sbom.cdx.json"],
    ["notice", "NOTICE"],
  ] as const) {
    program
      .command(name)
      .description(`print ${entry} of a package`)
      .argument("<package>", "path of the zip")
      .action(async (path: string) => {
        const { entryText, openPackage } = await import("./verify/opened-package.ts");
        process.stdout.write(entryText(await openPackage(path), entry) ?? "");
      });
  }

  program
    .command("vm-application")
    .description("print the ARM template of a VM Application that carries the package")
    .requiredOption("--system <system>", "linux or windows")
    .action(async (options: { readonly system: string }) => {
      const { parseOperatingSystems, readExtensionDefinition } = await import("./extension-definition.ts");
      const { projectVersion } = await import("./project.ts");
      const { renderVmApplication } = await import("./vm-application.ts");
      for (const os of parseOperatingSystems(options.system)) {
        process.stdout.write(await renderVmApplication(await readExtensionDefinition(os), await projectVersion()));
      }
    });

  program
    .command("checksums")
    .description("write SHA256SUMS of packages or other files")
    .argument("<files...>", "their paths")
    .option("--out <file>", "where to write", "dist/SHA256SUMS")
    .option("--json", "print JSON")
    .action(async (paths: readonly string[], options: OutOption & { readonly json?: boolean }) => {
      const { readSubjects, renderChecksums } = await import("./release-files.ts");
      const { writeAtomic } = await import("./write-atomic.ts");
      const subjects = await readSubjects(paths);
      await writeAtomic(options.out, renderChecksums(subjects));
      printResult(options.json, subjects, renderChecksums(subjects));
    });

  program
    .command("provenance")
    .description("write the in-toto provenance statement of the packages")
    .argument("<packages...>", "paths of the zips")
    .requiredOption("--source <url>", "address of the repository")
    .requiredOption("--commit <sha>", "commit that was built")
    .requiredOption("--builder <url>", "address of the workflow")
    .requiredOption("--invocation <url>", "address of this run")
    .option("--out <file>", "where to write", "dist/provenance.intoto.json")
    .action(async (paths: readonly string[], options: OutOption & BuildOriginOptions) => {
      const { readSubjects, renderProvenance } = await import("./release-files.ts");
      const { writeAtomic } = await import("./write-atomic.ts");
      await writeAtomic(options.out, await renderProvenance(await readSubjects(paths), options));
      process.stdout.write(`${options.out}\n`);
    });
}

/** The text of the release's page. */
function addNotes(program: Command): void {
  program
    .command("notes")
    .description("print the changelog of a version, and what the files of its release are")
    .argument("<version>")
    .argument("[files...]", "files of the release")
    .option("--changelog <file>", "file to read", "CHANGELOG.md")
    .option("--image <reference>", "image of the management side, with its digest")
    .option("--attested-by <owner/name>", "repository in which GitHub attests the files")
    .action(async (version: string, paths: readonly string[], options: NotesOptions) => {
      const { readGivenText } = await import("./given-file.ts");
      const { readSubjects } = await import("./release-files.ts");
      const { changelogSection, renderNotes } = await import("./release-notes.ts");
      const section = changelogSection(
        await readGivenText(options.changelog, { what: "changelog", next: "Name it with --changelog." }),
        version,
      );
      const files = await readSubjects(paths);
      const bundleDigest = files.find(({ name }) => name === "bundle.json")?.sha256;
      const { image, attestedBy } = options;
      const notes = {
        section,
        files,
        ...(image && { image }),
        ...(attestedBy && { attestedBy }),
        ...(bundleDigest !== undefined && { bundleDigest }),
      };
      process.stdout.write(renderNotes(notes));
    });
}

interface NotesOptions {
  readonly changelog: string;
  readonly image?: string;
  readonly attestedBy?: string;
}

interface BuildOriginOptions {
  readonly source: string;
  readonly commit: string;
  readonly builder: string;
  readonly invocation: string;
}
