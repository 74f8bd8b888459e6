import { expect, test } from "@jest/globals";
import { forms } from "../../../handler/diagnosis/error-lines.ts";
import { errorTexts } from "../../../handler/diagnosis/error-texts.ts";
import { beginsLikeError } from "../../../handler/diagnosis/line-scanner.ts";
import { samplesOf } from "../../support/samples-of-pattern.ts";

function isNoticed(line: string): boolean {
  const folded = line.toLowerCase();
  return errorTexts.some((text) => folded.includes(text)) || beginsLikeError(Buffer.from(line), 0);
}

test("every form of an error holds a text by which its lines are noticed at all", () => {
  const lines = forms.flatMap(({ pattern }) => samplesOf(pattern));
  expect(lines.length).toBeGreaterThan(300);
  expect(lines.filter((line) => !isNoticed(line))).toEqual([]);
});
