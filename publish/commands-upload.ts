import type { ContainerClient } from "@azure/storage-blob";
import type { Command } from "commander";
import { printResult } from "./print.ts";
import { WrongUse } from "./publish-error.ts";
import { parseContainer } from "./upload/container-address.ts";
import { parseLinkDays } from "./upload/link-days.ts";

interface UploadOptions {
  readonly container: string;
  readonly linkFile?: string;
  readonly linkDays: number;
  readonly provenance?: string;
  readonly verify: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

async function requireProvenance(path: string, file: string): Promise<void> {
  const { requireInProvenance } = await import("./release-files.ts");
  await requireInProvenance(path, file);
}

async function requireBundleVersion(path: string, container: ContainerClient): Promise<void> {
  const { openPackage } = await import("./verify/opened-package.ts");
  const { requireSameBundle } = await import("./upload/upload-bundle.ts");
  const packed = (await openPackage(path)).entries.find(({ name }) => name === "bundle/bundle.json")?.read();
  if (packed !== undefined) await requireSameBundle(packed, container);
}

/** `upload`. The signature comes from the environment: command lines are visible to every user of a machine. */
export function addUploadCommand(program: Command): void {
  program
    .command("upload")
    .description("verify a package and upload it to blob storage, once per version")
    .argument("<package>", "path of the zip")
    .requiredOption("--container <url>", "address of the container, without a signature", parseContainer)
    .option("--link-file <file>", "write a read link for the publishing service to this file (mode 0600)")
    .option("--link-days <days>", "how long the link is valid", parseLinkDays, 2)
    .option("--provenance <file>", "in-toto statement (see provenance) that must name this package with its digest")
    .option("--no-verify", "for a file that is no package, such as one of a check bundle")
    .option("--dry-run", "say what would be done")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nAccess: the variable CAPZ_STORAGE_SAS holds a shared access signature (rights: read, create, write);\n" +
        "without it the identity that is signed in is used (az login, OIDC of the pipeline, managed identity).",
    )
    .action(upload);
}

async function upload(path: string, options: UploadOptions): Promise<void> {
  const { openContainer } = await import("./upload/open-container.ts");
  const { uploadPackage } = await import("./upload/upload-package.ts");
  const { readSubjects } = await import("./release-files.ts");
  const sas = process.env["CAPZ_STORAGE_SAS"];
  if (sas !== undefined && options.linkFile !== undefined) {
    throw new WrongUse(
      "--link-file and CAPZ_STORAGE_SAS are both given: a link cannot be signed with a shared access signature.",
      "Sign in (az login) in the place of CAPZ_STORAGE_SAS, or upload without --link-file and write a link of your own for publish.",
    );
  }
  if (options.verify) {
    const { requireVerified } = await import("./verify/verify-package.ts");
    await requireVerified(path);
  }
  if (options.provenance !== undefined) await requireProvenance(path, options.provenance);
  if (options.dryRun === true) {
    const [subject] = await readSubjects([path]);
    const plan = { kind: "dry-run", container: options.container, ...subject };
    printResult(options.json, plan, `would upload ${path} (sha256 ${subject?.sha256 ?? ""}) to ${options.container}\n`);
    return;
  }
  const opened = await openContainer({ url: options.container, ...(sas === undefined ? {} : { sas }) });
  if (options.verify) await requireBundleVersion(path, opened.container);
  const result = await uploadPackage(path, opened.container, ({ sentBlocks, blocks }) => {
    process.stderr.write(`uploaded ${sentBlocks} of ${blocks} blocks (${Math.floor((sentBlocks * 100) / blocks)} %)\n`);
  });
  if (options.linkFile !== undefined) {
    const { writeReadLink } = await import("./upload/read-link.ts");
    await writeReadLink(opened, result.name, { file: options.linkFile, days: options.linkDays, now: new Date() });
  }
  const resumed =
    result.resumedBlocks > 0 ? `, ${result.resumedBlocks} blocks were there from an interrupted upload` : "";
  printResult(options.json, result, `${result.url}\n  ${result.kind}, sha256 ${result.sha256}${resumed}\n`);
}
