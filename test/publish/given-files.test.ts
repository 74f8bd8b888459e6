import { describe, expect, test } from "@jest/globals";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseGivenJson } from "../../publish/given-file.ts";
import { readSubjects, requireInProvenance } from "../../publish/release-files.ts";
import { readPlan } from "../../publish/rollout/plan.ts";
import { requireKeyId } from "../../publish/sign/bundle-key.ts";
import { signBundle, verifyBundleSignature } from "../../publish/sign/bundle-signature.ts";
import { signPackage, verifyPackageSignature } from "../../publish/sign/package-signature.ts";
import { signProgram } from "../../publish/sign/program-signature.ts";
import { readTrustedKeysFile } from "../../publish/trusted-keys.ts";
import { checkBundleFolder } from "../../publish/upload/upload-bundle.ts";
import { openPackage } from "../../publish/verify/opened-package.ts";

const folder = mkdtempSync(join(tmpdir(), "given-files-"));
const path = (name: string) => join(folder, name);
const signer = { certificate: path("signer.pem"), key: path("signer.key") };

function lay(name: string, content: string): string {
  writeFileSync(path(name), content);
  return path(name);
}

function edKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The first thing that is wrong is told as that: which file, what it was to be, why, and what to do. */
describe("a file that somebody named", () => {
  const there = lay("there.txt", "text");
  const nothing = path("nothing");
  const emptyBundle = path("bundle");
  mkdirSync(emptyBundle);
  const unsignedBundle = path("unsigned");
  mkdirSync(unsignedBundle);
  lay("unsigned/bundle.json", "{}");

  test.each<readonly [string, () => Promise<unknown>, string]>([
    ["package", () => openPackage(nothing), `The package ${nothing} cannot be read: there is no such file.`],
    ["package that is a folder", () => openPackage(folder), `The package ${folder} cannot be read: it is a folder.`],
    ["below a file", () => openPackage(join(there, "x")), "a part of the path is no folder"],
    ["package that is no zip", () => openPackage(there), `${there} cannot be read as a zip: `],
    ["file of a release", () => readSubjects([there, nothing]), `The file of the release ${nothing} cannot be read`],
    ["statement", () => requireInProvenance(there, nothing), `The in-toto statement ${nothing} cannot be read`],
    ["trusted keys", () => readTrustedKeysFile(nothing), `The list of trusted keys ${nothing} cannot be read`],
    ["plan", () => readPlan(nothing, "public"), `The rollout plan ${nothing} cannot be read`],
    [
      "plan without form",
      () => readPlan(lay("p.yaml", "a: [\n"), "public"),
      `The rollout plan ${path("p.yaml")} is no YAML`,
    ],
    ["bundle", () => checkBundleFolder(emptyBundle, there), `${join(emptyBundle, "bundle.json")} cannot be read`],
    ["signed bundle", () => verifyBundleSignature(emptyBundle, there), "Build the bundle with: npm run bundle"],
    ["bundle's signature", () => verifyBundleSignature(unsignedBundle, there), "Sign the bundle first"],
    ["private key", () => signBundle(folder, { id: "a", file: nothing }), `The private key ${nothing} cannot be read`],
    [
      "private key of another form",
      () => signBundle(folder, { id: "a", file: there }),
      `${there} is no private key in PEM`,
    ],
    [
      "bundle to sign",
      () => signBundle(emptyBundle, { id: "a", file: lay("ed.pem", edKey()) }),
      `${join(emptyBundle, "bundle.json")} cannot be read`,
    ],
    ["package to sign", () => signPackage(nothing, path("s"), signer), `The package ${nothing} cannot be read`],
    [
      "certificate",
      () => signPackage(there, path("s"), signer),
      `The certificate ${signer.certificate} cannot be read`,
    ],
    [
      "key",
      () => signPackage(there, path("s"), { ...signer, certificate: there }),
      `The key ${signer.key} cannot be read: there is no such file`,
    ],
    [
      "chain",
      () => signPackage(there, path("s"), { certificate: there, key: "pkcs11:object=a", chain: nothing }),
      `The chain ${nothing} cannot be read`,
    ],
    ["program", () => signProgram(nothing, path("s"), signer), `The program ${nothing} cannot be read`],
    [
      "its certificate",
      () => signProgram(there, path("s"), signer),
      `The certificate ${signer.certificate} cannot be read`,
    ],
    ["signature", () => verifyPackageSignature(there, nothing, there), `The signature ${nothing} cannot be read`],
    ["signed package", () => verifyPackageSignature(nothing, there, there), `The package ${nothing} cannot be read`],
    ["root", () => verifyPackageSignature(there, there, nothing), `The root certificate ${nothing} cannot be read`],
  ])("%s", async (_name, act, words) => {
    const error = await act().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: "PublishError", hint: expect.stringMatching(/\w/u) });
    expect(`${String(error)}\n${(error as { hint: string }).hint}`).toContain(words);
  });

  test("a JSON that breaks off names its file", () => {
    expect(() => parseGivenJson("{", "list.json", { what: "list", next: "Mend it." })).toThrow(
      "The list list.json is no JSON: ",
    );
  });
});

test.each(["release-2026", "a", "A.b_c-1"])("%s is the name of a key", (name) => {
  expect(requireKeyId(name)).toBe(name);
});

test.each(["", " ", "a b", "-a", "a\nb", "x".repeat(65), "é"])("%j is no name of a key", (name) => {
  expect(() => requireKeyId(name)).toThrow("1 to 64 letters");
});
