import { expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createHost, ownPlatform } from "../handler/create-host.ts";
import { loadProgram } from "../handler/check/program/load-program.ts";
import { parseRecord, replayLook } from "../handler/check/program/replay-look.ts";
import { buildCheck } from "../publish/check-bundle.ts";
import * as v from "valibot";

/**
 * Records of looks as `observations.json` keeps them: dropped into this folder, one becomes a test. Its `expected`, where it has
 * one, is the verdict that it ought to have had; else the verdict stands as it was.
 */
const folder = join(import.meta.dirname, "fixtures/replays");
const verdict = v.object({ verdict: v.string(), reason: v.optional(v.string()) });
const schema = v.object({ result: verdict, expected: v.optional(verdict) });
const program = loadProgram((await buildCheck()).toString("utf8"), { limitMs: "none" });

test.each(readdirSync(folder).filter((name) => name.endsWith(".json")))(
  "%s is judged as it should be",
  async (name) => {
    const content: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const { result, expected = result } = v.parse(schema, content);
    const record = parseRecord(content);
    if (record === undefined) throw new Error(`${name} is no record of a look`);
    const end = await replayLook(createHost(await ownPlatform()), program, record);
    if (end.kind !== "result") throw new Error(`${name}: ${JSON.stringify(end)}`);
    expect(v.parse(verdict, end.result)).toEqual(expected);
  },
);
