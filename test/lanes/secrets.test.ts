import { test } from "@jest/globals";
import { literalDisguises } from "../handler/text/disguises.ts";
import { expectNoneSeen } from "../lifecycle/plant-secrets.ts";

test("of 10,000 secrets planted in the logs and the output of a node, none leaves the packaged program", async () => {
  await expectNoneSeen(10_000);
}, 600_000);

test("of 10,000 secrets in literals of Python's bytes, as cloudbase-init logs output, none leaves it either", async () => {
  await expectNoneSeen(10_000, literalDisguises);
}, 600_000);
