import { test } from "@jest/globals";
import { laneGenerations, type NodeGeneration } from "../support/node-root.ts";
import { lane, needsOfNode } from "./lane.ts";

/** The same tests on a node of each generation. */
export function laneOfGenerations(name: string, tests: (generation: NodeGeneration) => void): void {
  for (const generation of laneGenerations()) {
    lane(`${name}, ${generation} system`, needsOfNode(generation), () => {
      tests(generation);
    });
  }
}

type DefineTest = (name: string, body: () => Promise<void>) => void;

/** `test` on the first of the lane's systems alone: for scenarios that are about our own files and not about agent, systemd or cloud-init. */
export function testOnFirst(generation: NodeGeneration): DefineTest {
  return generation === laneGenerations()[0] ? test : () => undefined;
}
