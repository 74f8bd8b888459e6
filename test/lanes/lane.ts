import { beforeAll, describe, test } from "@jest/globals";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { apiServerRecipe } from "../support/api-server-root.ts";
import {
  debianRoot,
  nodeGenerations,
  rootBuildLimitMs,
  type NodeGeneration,
  type RootRecipe,
} from "../support/node-root.ts";
import { wineRoot } from "../support/wine-root.ts";

export interface LaneNeeds {
  /** Programs that must be on the PATH. */
  readonly programs: readonly string[];
  /** Mounts, network namespaces and containers need root. */
  readonly root: boolean;
  /** Debian roots that are built before the first test, in time of their own. */
  readonly debian?: () => Promise<RootRecipe> | RootRecipe;
}

const hint = "run scripts/dev/install-lane-packages.sh as root";

/**
 * A group of tests that need real parts. Where a part is missing the lane is skipped and says which one;
 * with CI=true it fails instead, so that a lane can never silently stop running there.
 */
export function lane(name: string, needs: LaneNeeds, tests: () => void): void {
  const missing = missingNeeds(needs);
  if (missing.length === 0) {
    describe(name, () => {
      const { debian } = needs;
      const build = async () => {
        if (debian !== undefined) await debianRoot(await debian());
      };
      beforeAll(build, rootBuildLimitMs);
      tests();
    });
    return;
  }
  const reason = `${name}: needs ${missing.join(", ")}; ${hint}`;
  if (process.env["CI"] === "true") {
    test(reason, () => {
      throw new Error(reason);
    });
    return;
  }
  process.stderr.write(`Skipped: ${reason}\n`);
  test.skip(reason, () => undefined);
}

function missingNeeds(needs: LaneNeeds): readonly string[] {
  const programs = needs.programs.filter((program) => !isOnPath(program));
  return needs.root && process.getuid?.() !== 0 ? ["root", ...programs] : programs;
}

function isOnPath(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(":").filter(Boolean);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function needsOfNode(generation: NodeGeneration): LaneNeeds {
  return {
    root: true,
    programs: ["debootstrap", "systemd-nspawn", "unshare", "nsenter", "flock", "ip", "mount", "openssl"],
    debian: () => nodeGenerations[generation],
  };
}

export const nodeNeeds = needsOfNode("oldest");

export const wineNeeds: LaneNeeds = {
  root: true,
  programs: ["debootstrap", "unshare", "nsenter", "flock", "chroot", "mount"],
  debian: () => wineRoot,
};

export const apiServerNeeds: LaneNeeds = {
  root: true,
  programs: ["debootstrap", "chroot", "flock", "mount"],
  debian: apiServerRecipe,
};
