import type { Command } from "commander";
import { printResult } from "./print.ts";
import { parseContainer } from "./upload/container-address.ts";

interface UploadBundleOptions {
  readonly container: string;
  readonly trustedKeys: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `upload-bundle`. Access as for `upload`. */
export function addUploadBundleCommand(program: Command): void {
  program
    .command("upload-bundle")
    .description("verify a check bundle and upload it beside the packages, once per version")
    .argument("[folder]", "folder of the check bundle", "dist/bundle")
    .requiredOption("--container <url>", "address of the container, without a signature", parseContainer)
    .option("--trusted-keys <file>", "list of keys that the packages trust", "manifests/trusted-keys.json")
    .option("--dry-run", "say what would be done")
    .option("--json", "print JSON")
    .addHelpText("after", "\nAccess: as for upload (CAPZ_STORAGE_SAS, or the identity that is signed in).")
    .action(upload);
}

async function upload(folder: string, options: UploadBundleOptions): Promise<void> {
  const { bundlesFolder, checkBundleFolder, uploadBundle } = await import("./upload/upload-bundle.ts");
  const bundle = await checkBundleFolder(folder, options.trustedKeys);
  const base = `${options.container}/${bundlesFolder}/{version}`;
  const settings = { checkVersion: bundle.version, checkBaseUris: base, checkSha256: bundle.sha256 };
  const signed = bundle.signedBy === undefined ? "signed by nobody" : `signed by "${bundle.signedBy}"`;
  const words = `checkVersion ${bundle.version}, ${signed}\ncheckBaseUris ${base}\ncheckSha256 ${bundle.sha256}\n`;
  if (options.dryRun === true) {
    const plan = { kind: "dry-run", ...bundle, settings };
    printResult(options.json, plan, `would upload ${bundle.names.join(", ")}\n${words}`);
    return;
  }
  const { openContainer } = await import("./upload/open-container.ts");
  const sas = process.env["CAPZ_STORAGE_SAS"];
  const { container } = await openContainer({ url: options.container, ...(sas === undefined ? {} : { sas }) });
  const files = await uploadBundle(folder, bundle, container);
  const lines = files.map(({ url, kind }) => `${url}\n  ${kind}\n`).join("");
  printResult(options.json, { files, settings }, `${lines}${words}`);
}
