import { test } from "@jest/globals";
import { expectNoneSeen } from "./plant-secrets.ts";

test("of 2,000 secrets planted in the logs and the output of a node, none leaves the packaged program", async () => {
  await expectNoneSeen(2000);
}, 900_000);
