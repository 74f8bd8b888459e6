import { expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTarget } from "../../../handler/image/find-targets.ts";

test("where a link of Windows leads is told as Windows names it, and one to what is around it is left alone", () => {
  const root = mkdtempSync(join(tmpdir(), "capz-links-"));
  mkdirSync(join(root, "data/other"), { recursive: true });
  writeFileSync(join(root, "data/other/kept"), "");
  symlinkSync("data/other", join(root, "etcd"));
  mkdirSync(join(root, "srv/etcd"), { recursive: true });
  symlinkSync("../etcd", join(root, "srv/etcd/etcd"));
  const leadsTo = (folder: string) =>
    findTarget(root, { kind: "clear", folder }).map((found) => (found.kind === "left" ? found.leadsTo : found.shown));
  expect(leadsTo("C:\\etcd")).toEqual(["C:\\data\\other"]);
  expect(leadsTo("/etcd")).toEqual(["/data/other"]);
  expect(leadsTo("/srv/etcd/etcd")).toEqual(["/srv/etcd"]);
});
