import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linuxEvidence } from "../../../handler/diagnosis/evidence-linux.ts";
import { withoutSystemd } from "../../../handler/diagnosis/service-manager.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "manager-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const make = (path: string) => mkdir(join(root, path), { recursive: true });

test("where systemd runs there is nothing to say, whatever else lies about", async () => {
  await make("run/systemd/system");
  await make("run/openrc");
  expect(withoutSystemd(root)).toBeUndefined();
});

test.each([
  ["run/openrc", "OpenRC manages the services of this machine, not systemd"],
  ["etc/runit", "runit manages the services of this machine, not systemd"],
  ["var", "no systemd runs here"],
])("with %s it says what is not collected", async (folder, words) => {
  await make(folder);
  expect(withoutSystemd(root)).toMatchObject({
    state: "not-available",
    note: `${words}: the states of its services and a journal are not collected, only log files are`,
  });
});

test("the log files of OpenRC and of its kubelet are read in place of a journal", () => {
  const paths = linuxEvidence.flatMap(({ read }) =>
    read.kind === "file" && read.insteadOfJournal === true ? read.paths : [],
  );
  expect(paths).toEqual(expect.arrayContaining(["/var/log/rc.log", "/var/log/kubelet/kubelet.log"]));
});
