import { test } from "@jest/globals";
import { nodeGenerations, type NodeGeneration } from "../support/node-root.ts";
import { lane, nodeNeeds } from "./lane.ts";

/**
 * The systems that a lane of nodes runs on: the oldest and the newest, which enclose what happens between them. LANE_GENERATIONS
 * names others, with commas: `LANE_GENERATIONS=middle npm run lanes -- guest-agent`.
 */
function laneGenerations(): readonly NodeGeneration[] {
  const wanted = process.env["LANE_GENERATIONS"]?.split(",") ?? ["oldest", "newest"];
  return wanted.map((name) => {
    if (name === "oldest" || name === "middle" || name === "newest") return name;
    const known = Object.keys(nodeGenerations).join(", ");
    throw new Error(`LANE_GENERATIONS: "${name}" is no generation of nodes; known are ${known}`);
  });
}

/** The same tests on a node of each generation. */
export function laneOfGenerations(name: string, tests: (generation: NodeGeneration) => void): void {
  for (const generation of laneGenerations()) {
    lane(`${name}, ${generation} system`, nodeNeeds, () => {
      tests(generation);
    });
  }
}

type DefineTest = (name: string, body: () => Promise<void>) => void;

/** `test` on the first of the lane's systems alone: for scenarios that are about our own files and not about agent, systemd or cloud-init. */
export function testOnFirst(generation: NodeGeneration): DefineTest {
  return generation === laneGenerations()[0] ? test : () => undefined;
}
