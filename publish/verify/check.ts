import type { OpenedPackage } from "./opened-package.ts";

/** Problems found (none: it holds), or why the check could not be made on this machine. */
export type CheckFinding = { readonly kind: "checked"; readonly problems: readonly string[] } | CheckSkipped;

interface CheckSkipped {
  readonly kind: "skipped";
  readonly reason: string;
}

export interface PackageCheck {
  readonly id: string;
  readonly title: string;
  run(opened: OpenedPackage): CheckFinding | Promise<CheckFinding>;
}

export function problemsOf(problems: readonly string[]): CheckFinding {
  return { kind: "checked", problems };
}
