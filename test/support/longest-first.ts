import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// Its types are those of its CommonJS form.
const { default: Sequencer } = createRequire(import.meta.url)(
  "@jest/test-sequencer",
) as typeof import("@jest/test-sequencer");
type Tests = Parameters<InstanceType<typeof Sequencer>["sort"]>[0];

/** Minutes of waits and program starts, in small files. Begun last, each would keep one worker at work while the others have no more to do. */
const longest = [
  "test/scenarios.test.ts",
  "test/lifecycle/behaviour.test.ts",
  "test/scenarios-handler.test.ts",
  "test/pages/packaged-pages.test.ts",
  "test/pages/client-pages.test.ts",
  "test/faults/links.test.ts",
  "test/model/lay-out.test.ts",
  "test/lifecycle/downloaded-check.test.ts",
  "test/lifecycle/behaviour-downloads.test.ts",
  "test/lifecycle/command.test.ts",
  "test/lifecycle/wiring.test.ts",
  // Of the lanes, those first that need no root of a machine: one may still be under construction.
  "test/lanes/kill.test.ts",
  "test/lanes/faults-disk.test.ts",
  "test/lanes/faults-processes.test.ts",
  "test/lanes/windows-contract.test.ts",
  "test/lanes/booted-node-command.test.ts",
  "test/lanes/guest-agent.test.ts",
  "test/lanes/booted-node.test.ts",
  "test/lanes/management.test.ts",
  "test/lanes/secrets.test.ts",
  "test/lanes/windows-scenarios.test.ts",
  "test/lanes/windows-processes.test.ts",
  "test/lanes/image-role.test.ts",
  "test/lanes/windows-capz-command.test.ts",
  "test/lanes/long-wait.test.ts",
  "test/lanes/thundering-herd.test.ts",
  "test/lanes/source-to-all-regions.test.ts",
] as const;

const project = join(import.meta.dirname, "../..");
const paths = longest.map((file) => join(project, file));

/** Jest goes by the times of the last run. Before there is one it goes by size; here these come first. */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const missing = longest.filter((_, index) => !existsSync(paths[index] ?? ""));
    if (missing.length > 0) throw new Error(`There is no ${missing.join(", ")}`);
    const sorted = await super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const rank = (path: string): number => (paths.includes(path) ? paths.indexOf(path) : paths.length);
    return sorted.toSorted((one, other) => rank(one.path) - rank(other.path));
  }
}
