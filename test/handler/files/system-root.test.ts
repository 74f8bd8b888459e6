import { expect, test } from "@jest/globals";
import { isSystemRoot } from "../../../handler/files/system-root.ts";

test("isSystemRoot() tells the running machine from a folder", () => {
  expect(["/", "C:\\", "D:"].map((one) => isSystemRoot(one))).toEqual([true, true, true]);
  expect(["/mnt/sysroot", "C:\\copy", "."].map((one) => isSystemRoot(one))).toEqual([false, false, false]);
});

test("a folder whose name ends like a drive is no root", () => {
  expect(["/mnt/C:\\", "/c:", "C:\\\\"].map((one) => isSystemRoot(one))).toEqual([false, false, false]);
});
