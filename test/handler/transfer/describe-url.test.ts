import { expect, test } from "@jest/globals";
import { describeUrl } from "../../../handler/transfer/describe-url.ts";
import { filePlaceOf, isLoopback, parseDownloadUrl } from "../../../handler/transfer/download-url.ts";
import { storageAccountOf } from "../../../handler/text/storage-host.ts";

const sas = "?sv=2024-11-04&sig=SECRET%3D";

test("SAS URL without file name -> redacted", () => {
  const url = parseDownloadUrl(`https://account.blob.core.windows.net/${sas}`);
  expect(() => filePlaceOf(url, "linux")).toThrow(
    "Cannot download https://account.blob.core.windows.net/?<redacted>: its path does not end in a usable file name",
  );
});

test("ftp:// -> error at once", () => {
  expect(() => parseDownloadUrl(`ftp://user:pw@files.example/a.sh${sas}`)).toThrow(
    'Cannot download ftp://files.example/a.sh?<redacted>: the scheme is "ftp", allowed are https and http',
  );
});

test.each(["no url at all?sig=SECRET", "https://?sig=SECRET", "https://[bad/x?sig=SECRET", "", "file:///etc/SECRET"])(
  "an address that is not usable is never printed: %j",
  (address) => {
    expect(() => parseDownloadUrl(address)).toThrow(expect.objectContaining({ id: "downloadUrlInvalid" }));
    expect(() => parseDownloadUrl(address)).not.toThrow(/SECRET/u);
  },
);

test("describeUrl() never shows user, password, query or fragment", () => {
  expect(describeUrl(`https://user:pw@files.example:8443/a/b.sh${sas}#part`)).toBe(
    "https://files.example:8443/a/b.sh?<redacted>",
  );
});

test.each([
  ["https://files.example/dir/check.sh?x=1", "check.sh"],
  ["https://files.example/my%20check.sh", "my check.sh"],
  ["https://acc.blob.core.windows.net/box/folder/a%2Fb.sh", "b.sh"],
  ["https://files.example/..%2F..%2Fetc", "etc"],
])("filePlaceOf(%s) is %j", (address, name) => {
  expect(filePlaceOf(new URL(address), "linux")).toEqual([name]);
});

test.each([
  ["https://acc.blob.core.windows.net/box/scripts/a.ps1?sig=x", ["scripts", "a.ps1"]],
  ["https://acc.blob.core.windows.net/box/one%2Ftwo%20x/a.ps1", ["one", "two x", "a.ps1"]],
  ["https://acc.blob.core.windows.net/box/a.ps1", ["a.ps1"]],
  ["https://raw.files.example/owner/scripts/a.ps1", ["a.ps1"]],
  ["https://acc.blob.core.windows.net/box/..%2F..%2Fetc/a.ps1", undefined],
  ["https://acc.blob.core.windows.net/box//a.ps1", ["a.ps1"]],
  ["https://acc.blob.core.windows.net/a.ps1", ["a.ps1"]],
  ["https://acc.blob.core.windows.net/box/100%/a.ps1", ["100%", "a.ps1"]],
  ["https://acc.blob.core.windows.net/box/NUL/a.ps1", undefined],
  ["https://acc.blob.core.windows.net/box/dir./a.ps1", undefined],
  ["https://acc.blob.core.windows.net/box/C:/a.ps1", undefined],
])("on Windows the folders of a blob stay, of no other address, and none leads out: %s", (address, place) => {
  const found = (): readonly string[] => filePlaceOf(new URL(address), "windows");
  if (place === undefined) expect(found).toThrow("does not end in a usable file name");
  else expect(found()).toEqual(place);
});

test.each(["a%2F", "a%2F..", "%2e%2e%5Cx", "a%00b", "dir/", "%E0%A4%A", "a%3Ab"])(
  "a path that ends in %s is refused as a file name",
  (end) => {
    expect(() => filePlaceOf(new URL(`https://files.example/${end}`), "linux")).toThrow(
      "does not end in a usable file name",
    );
  },
);

test.each([
  "https://acct1.blob.core.windows.net/c/b",
  "https://acct1.blob.core.usgovcloudapi.net/c/b",
  "https://acct1.blob.core.chinacloudapi.cn/c/b",
])("%s belongs to a storage account", (address) => {
  expect(storageAccountOf(new URL(address))).toBe("acct1");
});

test.each([
  "http://acct1.blob.core.windows.net/c/b",
  "https://acct1.blob.core.windows.net:8443/c/b",
  "https://acct1.blob.core.windows.net.evil.example/c/b",
  "https://acct1.blob.core.evil.example/c/b",
  "https://acct1-blob.core.windows.net/c/b",
  "https://blob.core.windows.net/c/b",
  "https://a.b.blob.core.windows.net/c/b",
  "https://acct1.file.core.windows.net/c/b",
  "https://evil.acct1.blob.core.windows.net/c/b",
  "https://acct1.evil.blob.core.windows.net/c/b",
])("%s gets no token", (address) => {
  expect(storageAccountOf(new URL(address))).toBeUndefined();
});

test.each([
  ["https://files.example/a/b.sh", "https://files.example/a/b.sh"],
  ["https://files.example/a?", "https://files.example/a"],
  ["no address?sig=SECRET", "<an address that cannot be parsed>"],
  ["file:///etc/SECRET", "<an address that cannot be parsed>"],
])("describeUrl(%j) is %j", (address, shown) => {
  expect(describeUrl(address)).toBe(shown);
});

test.each(["no url", "file:///etc/x", "mailto:me"])("%s is no address, and the advice shows one", (address) => {
  expect(() => parseDownloadUrl(address)).toThrow(
    expect.objectContaining({
      message: "Cannot download from one of the addresses, since it is not a URL",
      hint: expect.stringContaining("https://account.blob.core.windows.net/"),
    }),
  );
});

test.each(["http://files.example/a", "\u00a0https://files.example/a \n"])("%j can be downloaded from", (address) => {
  expect(parseDownloadUrl(address).hostname).toBe("files.example");
});

test.each([
  ["http://localhost/a", true],
  ["http://[::1]:80/a", true],
  ["http://127.0.0.1/a", true],
  ["http://127.12.234.56/a", true],
  ["http://127.0.0.1.evil.example/a", false],
  ["http://localhost.evil.example/a", false],
  ["http://128.0.0.1/a", false],
  ["http://[::2]/a", false],
])("%s is on loopback: %s", (address, expected) => {
  expect(isLoopback(new URL(address))).toBe(expected);
});
