import { statSync } from "node:fs";
import type { BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import type { Figure } from "./measure.ts";

const targetMb = 85;

export function benchPackageSize({ zip }: BuiltPackage): readonly Figure[] {
  const megabytes = statSync(zip).size / 1_000_000;
  return [
    {
      name: "package, both architectures",
      value: `${megabytes.toFixed(1)} MB`,
      target: `<= ${String(targetMb)} MB`,
      met: megabytes <= targetMb,
    },
  ];
}
