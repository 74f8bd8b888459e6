import { checkAuthenticode } from "./check-authenticode.ts";
import { checkBundle, checkLaunchers, checkRuntimes, checkSbom } from "./check-content.ts";
import { checkImage } from "./check-image.ts";
import { checkEntries, checkLayout, checkSize } from "./check-layout.ts";
import { checkHandlerManifest, checkVersions } from "./check-manifests.ts";
import { checkParts } from "./check-parts.ts";
import { checkSecrets } from "./check-secrets.ts";
import type { PackageCheck } from "./check.ts";
import { openPackage } from "./opened-package.ts";
import { PublishError } from "../publish-error.ts";

export const packageChecks: readonly PackageCheck[] = [
  checkLayout,
  checkEntries,
  checkHandlerManifest,
  checkVersions,
  checkImage,
  checkRuntimes,
  checkAuthenticode,
  checkLaunchers,
  checkParts,
  checkBundle,
  checkSbom,
  checkSecrets,
  checkSize,
];

export interface VerifiedCheck {
  readonly id: string;
  readonly title: string;
  readonly result: "ok" | "failed" | "skipped";
  readonly details: readonly string[];
}

/** Everything that can be known of a package without a network. */
export async function verifyPackage(path: string): Promise<readonly VerifiedCheck[]> {
  const opened = await openPackage(path);
  const rows: VerifiedCheck[] = [];
  for (const check of packageChecks) {
    const { id, title } = check;
    const finding = await check.run(opened);
    if (finding.kind === "skipped") rows.push({ id, title, result: "skipped", details: [finding.reason] });
    else rows.push({ id, title, result: finding.problems.length === 0 ? "ok" : "failed", details: finding.problems });
  }
  return rows;
}

/** What must hold before a package leaves this machine. */
export async function requireVerified(path: string): Promise<void> {
  const failed = (await verifyPackage(path)).filter(({ result }) => result === "failed");
  if (failed.length === 0) return;
  throw new PublishError(
    `${path} does not pass verify: ${failed.map(({ id }) => id).join(", ")}.`,
    `Run: verify ${path}`,
  );
}
