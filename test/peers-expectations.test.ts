import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const project = join(import.meta.dirname, "..");
const page = readFileSync(join(project, "docs/peers-expectations.md"), "utf8");

interface Row {
  readonly theirs: string;
  readonly answer: string;
  readonly proofs: readonly { readonly file: string; readonly name: string }[];
}

const rows: readonly Row[] = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:Their test|-)/u.test(line))
  .map((line) => {
    const [theirs = "", answer = "", , proved = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    return { theirs, answer, proofs: proved === "" ? [] : proved.split("<br>").map(proofOf) };
  });

function proofOf(text: string): Row["proofs"][number] {
  const groups = /^`(?<file>[^`]+)`: (?<name>.+)$/u.exec(text)?.groups;
  return { file: groups?.["file"] ?? text, name: (groups?.["name"] ?? "").replaceAll(/\\(?=[_*])/gu, "") };
}

test.each(rows)("$theirs: the named tests exist", ({ answer, proofs }) => {
  expect(["same", "differently", "does not apply"]).toContain(answer);
  // What applies is proved; what does not may say what holds instead.
  if (answer !== "does not apply") expect(proofs).not.toEqual([]);
  for (const { file, name } of proofs) {
    expect(existsSync(join(project, file)) ? file : "missing").toBe(file);
    const source = readFileSync(join(project, file), "utf8");
    const titles = ['"', "'", "`"].map((quote) => `${quote}${name}${quote}`);
    const title = titles.find((one) => source.includes(one));
    expect(title === undefined ? `not in ${file}: ${name}` : name).toBe(name);
    expect(proves(source, title ?? "") ? name : `${name}: it is skipped, or expects nothing`).toBe(name);
  }
});

/** A test that runs and looks at something; that it passes is what `npm test` says. */
function proves(source: string, title: string): boolean {
  const at = source.indexOf(title);
  const head = source.slice(source.lastIndexOf("test", at), at);
  const next = source.slice(at).search(/\n\s{0,2}(?:test|describe)[.(]/u);
  const body = source.slice(at, next === -1 ? undefined : at + next);
  return !/\.(?:skip|todo)/u.test(head) && /\bexpect\(|\bsurvives\(/u.test(body);
}

/** Where theirs and ours are numbers, "same" and "differently" must follow from them. */
test.each([
  ["`TestDownload_wrapsGetRequestError`", "a download that the server answers with"],
  ["`TestDowload_msiDownloaderErrorMessage`", "the identity endpoint that answers"],
])("%s: the answer follows from the codes", (theirs, title) => {
  const source = readFileSync(join(project, "test/handler/peers-codes.test.ts"), "utf8");
  const table = source.slice(0, source.indexOf(title)).split("test.each(").at(-1) ?? "";
  const pairs = [...table.matchAll(/\[\d+, (?<theirs>-?\d+), (?<ours>-?\d+)\]/gu)].map(({ groups }) => groups);
  expect(pairs.length).toBeGreaterThan(2);
  const same = pairs.every((pair) => pair?.["theirs"] === pair?.["ours"]);
  expect(rows.find((row) => row.theirs.startsWith(theirs))?.answer).toBe(same ? "same" : "differently");
});

test("the page's numbers are those of its rows", () => {
  const count = (answer: string) => String(rows.filter((row) => row.answer === answer).length);
  expect(page).toContain(
    `Of ${String(rows.length)} rows, ${count("same")} have the same answer, ${count("differently")} are answered differently on purpose, and ${count("does not apply")} do not apply.`,
  );
});
