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
    expect(titles.some((title) => source.includes(title)) ? name : `not in ${file}: ${name}`).toBe(name);
  }
});

test("the page's numbers are those of its rows", () => {
  const count = (answer: string) => String(rows.filter((row) => row.answer === answer).length);
  expect(page).toContain(
    `Of ${String(rows.length)} rows, ${count("same")} have the same answer, ${count("differently")} are answered differently on purpose, and ${count("does not apply")} do not apply.`,
  );
});
