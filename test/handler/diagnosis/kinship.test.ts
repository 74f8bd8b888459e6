import { describe, expect, test } from "@jest/globals";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { kinshipTable } from "../../../handler/diagnosis/kinship-table.ts";
import { nearest, readTable, wordsOf, type Kinship } from "../../../handler/diagnosis/kinship.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { renderFirstLine } from "../../../handler/diagnosis/render.ts";
import { examples, tableOf, type Example } from "../../../scripts/dev/generate-kinship.ts";
import { noRules } from "../../support/no-rules.ts";
import { causeOf, quiet } from "./reading/cause-of.ts";

const words = (message: string): ReadonlySet<string> => wordsOf({ message, program: undefined });

/** Of no form that reading knows, in words of the registry. */
const pull =
  "W0402 08:15:00.120044 12 made_up.go:7] made-up failure: staging of a layer of the registry mirror aborted";

describe("the words of a message", () => {
  test("are its own in their ground form, with ports that tell and without other numbers", () => {
    expect([...words("Certificates expired; 6443 of 8127 fada")]).toEqual(
      expect.arrayContaining(["certificat", "expir", "6443"]),
    );
    expect(words("8127 fada of the").size).toBe(0);
  });

  test("hold what reading knows of it: kind, subject and program", () => {
    const said = wordsOf({ message: "dial tcp 10.1.0.9:6443: connect: connection refused", program: "kubelet" });
    expect([...said]).toEqual(expect.arrayContaining(["k:refused", "@kubelet"]));
  });
});

describe("the nearest cause", () => {
  const weights = readTable({
    causes: ["disk-full", "swap-enabled", "none"],
    words: "disk:0*4 full:0*2,2 swap:1*4 on:1,2*3",
  });

  test("is the one whose words the message has, by a lead that grows with them", () => {
    const one = nearest(new Set(["swap"]), weights);
    const both = nearest(new Set(["disk", "full"]), weights);
    expect(one).toMatchObject({ cause: "swap-enabled", words: 1 });
    expect(both?.cause).toBe("disk-full");
    expect(nearest(new Set(["swap", "disk"]), weights)?.lead).toBeLessThan(one?.lead ?? 0);
  });

  test("may be none at all, which words of harmless lines speak for", () => {
    expect(nearest(new Set(["on"]), weights)?.cause).toBe("none");
  });
});

describe("a guess", () => {
  test("names what a short log ends in where neither rules nor reading do, as probable and with its line", () => {
    const matcher = createMatcher(noRules, { platform: "linux" });
    matcher.feed({ source: "system", origin: "a.log" }, Buffer.from(`${pull}\n`));
    const diagnosis = rankFindings(matcher.finish());
    expect(diagnosis).toMatchObject({
      kind: "classified",
      primary: { ruleId: "kinship-image-pull-timeout", confidence: "low", role: "cause", evidence: [{ text: pull }] },
    });
    expect(renderFirstLine(diagnosis)).toContain(": Probably: ");
  });

  test("is not made where the log goes on, or is long", () => {
    expect(causeOf(...quiet(3), pull)).toBe("image-pull-timeout");
    expect(causeOf(pull, ...quiet(8))).toBe("unclassified");
    expect(causeOf(...quiet(30), pull)).toBe("unclassified");
  });

  test("is not made of a unit's end alone, of harmless lines and of what is close to two causes", () => {
    expect(causeOf("systemd[1]: made-up.service: Failed with result 'exit-code'.")).toBe("unclassified");
    const harmless =
      'W0402 08:15:00.1 12 env.go:105] Failed to get Pod Namespace from environment. Using "kube-system" as default namespace';
    expect(causeOf(harmless)).toBe("unclassified");
    expect(causeOf("W0402 08:15:00.1 12 made_up.go:7] error of a made up thing")).toBe("unclassified");
  });
});

describe("the table", () => {
  test("stays small", () => {
    expect(kinshipTable.words.length).toBeLessThan(60_000);
  });

  test("names in seven of ten messages of a program the cause by what is known without this program", async () => {
    const known = await examples();
    const programs = [...new Set(known.flatMap(({ program }) => program ?? []))];
    const answers = programs.flatMap((program) => {
      const weights = readTable(tableOf(known.filter((one) => one.program !== program)));
      return known.filter((one) => one.program === program).map((one) => isRight(one, nearest(one.words, weights)));
    });
    expect(answers.filter(Boolean).length / answers.length).toBeGreaterThan(0.7);
  });
});

function isRight({ cause }: Example, kin: Kinship | undefined): boolean {
  return kin?.cause === cause;
}
