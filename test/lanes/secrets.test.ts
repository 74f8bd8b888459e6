import { test } from "@jest/globals";
import { expectNoneSeen } from "../lifecycle/plant-secrets.ts";

test("of 10,000 secrets planted in the logs and the output of a node, none leaves the packaged program", async () => {
  await expectNoneSeen(10_000);
}, 1_800_000);
