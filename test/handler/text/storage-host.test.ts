import { expect, test } from "@jest/globals";
import { storageAccountOf } from "../../../handler/text/storage-host.ts";

test.each([
  ["https://acct1.blob.core.windows.net/c/x", "acct1"],
  ["https://acct1.blob.core.usgovcloudapi.net/c/x", "acct1"],
  ["https://acct1.blob.core.chinacloudapi.cn/c/x", "acct1"],
  ["https://abc.blob.core.windows.net", "abc"],
  [`https://${"a1".repeat(12)}.blob.core.windows.net`, "a1".repeat(12)],
  ["https://ab.blob.core.windows.net", undefined],
  [`https://${"a".repeat(25)}.blob.core.windows.net`, undefined],
  ["http://acct1.blob.core.windows.net/c/x", undefined],
  ["https://acct1.blob.core.windows.net:8443/c/x", undefined],
  ["https://a.acct1.blob.core.windows.net/", undefined],
  ["https://acct-1.blob.core.windows.net/", undefined],
  ["https://acct1.blob.core.windows.net.example/", undefined],
  ["https://blob.core.windows.net.acct1.example/", undefined],
  ["https://acct1.blob.core.example/", undefined],
  ["https://.blob.core.windows.net/", undefined],
])("a token of storage goes to an account's own address and to none that looks alike: %s", (address, account) => {
  expect(storageAccountOf(new URL(address))).toBe(account);
});
