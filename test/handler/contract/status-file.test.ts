import { expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boundStatus, fitsUncut, statusFileLimitBytes } from "../../../handler/contract/bound-status.ts";
import { readStatusFile, serialiseStatus, writeStatus } from "../../../handler/contract/status-file.ts";
import type { Status as ShownStatus, StatusKind } from "../../../handler/contract/status.ts";
import { cutMark } from "../../../handler/text/cut-text.ts";
import { show, showAll } from "../../../handler/text/shown-text.ts";
import { randomFrom } from "../../model/random.ts";

const now = new Date("2026-01-31T12:00:00.987Z");

/** A status as it comes from outside; every test sends it through showAll, as the types demand. */
interface Status extends Omit<ShownStatus, "message" | "substatuses"> {
  readonly message: string;
  readonly substatuses: readonly {
    readonly name: string;
    readonly status: StatusKind;
    readonly code: number;
    readonly message: string;
  }[];
}

const waiting: Status = {
  kind: "transitioning",
  operation: "Enable",
  code: 0,
  message: "Waiting for the node to bootstrap: kubeadm join, 74 s of 1200 s",
  substatuses: [],
};

function statusWith(part: Partial<Status>): Status {
  return { ...waiting, ...part };
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "status-"));
}

interface Written {
  readonly status: {
    readonly code: number;
    readonly formattedMessage: { readonly message: string };
    readonly substatus: readonly {
      readonly name: string;
      readonly code: number;
      readonly formattedMessage: { readonly message: string };
    }[];
  };
}

const parseItems: (text: string) => readonly Written[] = JSON.parse;

function written(status: Status): Written["status"] {
  const items = parseItems(serialiseStatus({ sequence: 1, status: showAll(status), now }).toString("utf8"));
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error("the file must be an array of one");
  return item.status;
}

test("the file is an array of one with every field of the contract", async () => {
  const folder = await newFolder();
  const error: Status = {
    kind: "error",
    operation: "Enable",
    code: 10,
    message: "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s",
    substatuses: [{ name: "ErrorClarification", status: "error", code: 10, message: "The node failed to bootstrap" }],
  };
  await writeStatus({ folder, sequence: 3, status: showAll<Status>(error), now });
  expect(JSON.parse(await readFile(join(folder, "3.status"), "utf8"))).toEqual([
    {
      version: 1,
      timestampUTC: "2026-01-31T12:00:00Z",
      status: {
        name: "capz-bootstrap",
        operation: "Enable",
        configurationAppliedTime: "2026-01-31T12:00:00Z",
        status: "error",
        code: 10,
        formattedMessage: { lang: "en-US", message: error.message },
        substatus: [
          {
            name: "ErrorClarification",
            status: "error",
            code: 10,
            formattedMessage: { lang: "en-US", message: "The node failed to bootstrap" },
          },
        ],
      },
    },
  ]);
  expect((await stat(join(folder, "3.status"))).mode & 0o777).toBe(0o600);
});

test("multi-config: the file is <extension>.N.status and carries the extension's name", async () => {
  const folder = await newFolder();
  await writeStatus({ folder, sequence: 3, extensionName: "web", status: showAll<Status>(waiting), now });
  expect(await readdir(folder)).toEqual(["web.3.status"]);
  expect(await readFile(join(folder, "web.3.status"), "utf8")).toContain('"name":"web"');
  expect((await readStatusFile(folder, { sequence: 3, extensionName: "web" })).kind).toBe("valid");
});

test("a missing status folder is made", async () => {
  const folder = join(await newFolder(), "status");
  await writeStatus({ folder, sequence: 0, status: showAll<Status>(waiting), now });
  expect(await readdir(folder)).toEqual(["0.status"]);
});

test("a rewrite leaves one whole file and no temporary file", async () => {
  const folder = await newFolder();
  for (let round = 0; round < 5; round++) {
    await writeStatus({ folder, sequence: 1, status: showAll<Status>(statusWith({ message: `round ${round}` })), now });
  }
  expect(await readdir(folder)).toEqual(["1.status"]);
  expect(await readStatusFile(folder, { sequence: 1 })).toMatchObject({ message: "round 4" });
});

test("a reader never sees a part of a status while it is rewritten", async () => {
  const folder = await newFolder();
  await writeStatus({ folder, sequence: 1, status: showAll<Status>(waiting), now });
  const running = new Set(["writer"]);
  const writer = (async () => {
    for (let round = 0; round < 60; round++) {
      await writeStatus({
        folder,
        sequence: 1,
        status: showAll<Status>(statusWith({ message: "x".repeat(round * 100 + 1) })),
        now,
      });
    }
    running.clear();
  })();
  const views = new Set<string>();
  while (running.size > 0) views.add((await readStatusFile(folder, { sequence: 1 })).kind);
  await writer;
  expect([...views]).toEqual(["valid"]);
});

test("a temporary file that a killed process left behind is removed, a young one is not", async () => {
  const folder = await newFolder();
  const own = `.capz-${String(process.pid)}`;
  const [stale, young] = [`${own}-0123456789abcdef.tmp`, `${own}-fedcba9876543210.tmp`];
  for (const name of [stale, young]) await writeFile(join(folder, name), "half");
  await utimes(join(folder, stale), new Date(now.getTime() - 61_000), new Date(now.getTime() - 61_000));
  await utimes(join(folder, young), now, now);
  await writeStatus({ folder, sequence: 1, status: showAll<Status>(waiting), now });
  expect((await readdir(folder)).sort()).toEqual([young, "1.status"].sort());
});

test("a status that cannot be written is an error that names the file, and leaves no temporary file", async () => {
  const folder = await newFolder();
  // The prepared file is written; only its last name is too long.
  const request = { folder, sequence: 1, extensionName: "x".repeat(250), status: showAll<Status>(waiting), now };
  await expect(writeStatus(request)).rejects.toMatchObject({
    id: "stateUnwritable",
    message: expect.stringContaining(join(folder, `${request.extensionName}.1.status`)),
  });
  expect(await readdir(folder)).toEqual([]);
});

test("a folder in the place of the status is set aside with what is in it", async () => {
  const folder = await newFolder();
  await mkdir(join(folder, "1.status", "in-the-way"), { recursive: true });
  await writeStatus({ folder, sequence: 1, status: showAll<Status>(waiting), now });
  const [aside = "", file] = (await readdir(folder)).toSorted().toReversed();
  expect([aside, file]).toEqual([expect.stringMatching(/^1\.status\.aside-[0-9a-f]{16}$/u), "1.status"]);
  expect(await readdir(join(folder, aside))).toEqual(["in-the-way"]);
  expect(await readStatusFile(folder, { sequence: 1 })).toMatchObject({ kind: "valid", status: "transitioning" });
});

test("an empty message and an empty substatus message get a text (agent: whole-VM status lost above the size limit)", () => {
  const status = written(
    statusWith({
      kind: "error",
      code: 10,
      message: "",
      substatuses: [{ name: "", status: "error", code: 10, message: " \n" }],
    }),
  );
  expect(status.formattedMessage.message).toBe("error, code 10; no text was given");
  expect(status.substatus[0]).toMatchObject({
    name: "Unnamed",
    formattedMessage: { message: "error, code 10; no text was given" },
  });
});

test("codes are whole 32-bit numbers", () => {
  for (const code of [Number.NaN, Number.POSITIVE_INFINITY, 1.5, 2 ** 40]) {
    expect(written(statusWith({ kind: "error", code })).code).toBe(-9);
    expect(written(statusWith({ kind: "success", code })).code).toBe(0);
  }
  expect(Object.is(written(statusWith({ code: -0 })).code, 0)).toBe(true);
});

test("the first line has at most 200 characters; what is over moves to the second", () => {
  const line = `Bootstrap failed: ${"long reason ".repeat(30)}end`;
  const { message } = written(statusWith({ message: `${line}\nevidence` })).formattedMessage;
  const [first = "", second = "", third] = message.split("\n");
  expect(first).toHaveLength(200);
  expect(first.slice(0, -1) + second.slice(1)).toBe(line);
  expect(third).toBe("evidence");
});

test("a first line of 200 characters stays as it is", () => {
  const line = "x.".repeat(100);
  expect(written(statusWith({ message: `${line}\nrest` })).formattedMessage.message).toBe(`${line}\nrest`);
});

test("a long message is cut with a mark, and short substatuses stay whole", () => {
  const short = {
    name: "BootstrapVerdict",
    status: "error",
    code: 10,
    message: '{"reason":"DeadlineExceeded"}',
  } as const;
  const long = { name: "BootstrapEvidence", status: "error", code: 10, message: "y ".repeat(500_000) } as const;
  const status = written(statusWith({ message: `verdict\n${"x ".repeat(500_000)}`, substatuses: [short, long] }));
  expect(status.formattedMessage.message.startsWith("verdict\n")).toBe(true);
  expect(status.formattedMessage.message.endsWith(cutMark)).toBe(true);
  expect(status.substatus[0]?.formattedMessage.message).toBe(short.message);
  expect(status.substatus[1]?.formattedMessage.message.endsWith(cutMark)).toBe(true);
});

test("characters that are cleaned away take no room from those behind them", () => {
  const { message } = written(statusWith({ message: `verdict${"\u0000".repeat(100_000)} kept` })).formattedMessage;
  expect(message).toBe("verdict kept");
});

test("the available size is used: a message of 12,000 characters is not cut", () => {
  expect(written(statusWith({ message: `verdict\n${"x.".repeat(6_000)}` })).formattedMessage.message).toHaveLength(
    12_008,
  );
});

/** The same numbers on every run. */
const oddPieces = [
  "\ud800",
  "\udfff",
  "\ud83d",
  "\u{1f600}",
  "\u0000",
  "\u0007",
  "\u001b[31m",
  "\u001b]0;t\u0007",
  "\u001b",
  "\u009b1m",
  "\ufeff",
  "\ufffe",
  "\uffff",
  "\u2028",
  '"',
  "\\",
  "\n",
  "\r\n",
  "\r",
  "\t",
  "ü",
  "漢字",
  " ",
  '","lang":"message',
  "</script>",
  "kubeadm join failed",
] as const;

function oddText(random: () => number): string {
  const length = [0, 1, 5, 300, 6000][Math.floor(random() * 5)] ?? 0;
  let text = "";
  for (let index = 0; index < length; index++) text += oddPieces[Math.floor(random() * oddPieces.length)] ?? "";
  return text;
}

function oddCode(random: () => number): number {
  return [0, 10, -9, Number.NaN, 1e300, 0.5, Number.NEGATIVE_INFINITY][Math.floor(random() * 7)] ?? 0;
}

function oddStatus(random: () => number): Status {
  const kinds: readonly StatusKind[] = ["transitioning", "success", "warning", "error"];
  const kind = (): StatusKind => kinds[Math.floor(random() * 4)] ?? "error";
  const count = Math.floor(random() * 8) * Math.floor(random() * 8);
  return {
    kind: kind(),
    operation: "Enable",
    code: oddCode(random),
    message: oddText(random),
    substatuses: Array.from({ length: count }, () => ({
      name: oddText(random).slice(0, 2000),
      status: kind(),
      code: oddCode(random),
      message: oddText(random),
    })),
  };
}

// Missing, empty, truncated, BOM, wrong shapes, not UTF-8, null parts, texts that are none: every row of the agent's table.
test("no odd input makes the writer produce a file of any row of the malformed-file table", async () => {
  const random = randomFrom(20_260_131);
  const folder = await newFolder();
  for (let round = 0; round < 80; round++) {
    await writeStatus({ folder, sequence: 1, status: showAll(oddStatus(random)), now });
    const bytes = await readFile(join(folder, "1.status"));
    expect(bytes.length).toBeLessThanOrEqual(statusFileLimitBytes);
    expectReadable(bytes);
    expect((await readStatusFile(folder, { sequence: 1 })).kind).toBe("valid");
  }
});

function expectReadable(bytes: Buffer): void {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  expect(text.startsWith("[{")).toBe(true);
  expect(text).not.toMatch(/\\u(?:d[89a-f]|00(?:0[0-8bcef]|1|7f))/i);
  const items = parseItems(text);
  const [item] = items;
  if (item === undefined) throw new Error("the file is an empty list");
  const { formattedMessage, substatus } = item.status;
  for (const { message } of [formattedMessage, ...substatus.map((part) => part.formattedMessage)]) {
    expect(message.trim()).not.toBe("");
    expect(message.isWellFormed()).toBe(true);
  }
  for (const { name, code } of substatus) {
    expect(name.trim()).not.toBe("");
    expect(Number.isInteger(code)).toBe(true);
  }
  expect(formattedMessage.message.split("\n")[0]?.length).toBeLessThanOrEqual(200);
}

test.each([
  ["lone surrogates", "\ud800".repeat(1_000_000)],
  ["NUL characters", "\u0000".repeat(1_000_000)],
  ["terminal sequences", "\u001b[31mred\u001b[0m".repeat(80_000)],
  ["quotation marks (two bytes each in JSON)", '"'.repeat(1_000_000)],
  ["emoji (four bytes each)", "\u{1f600}".repeat(500_000)],
  ["line ends", "\r\n".repeat(500_000)],
  ["plain text", "x".repeat(1_000_000)],
])("a message of 1 MB of %s becomes a small valid file", async (_case, message) => {
  const folder = await newFolder();
  const text = show(message);
  const substatuses = Array.from(
    { length: 40 },
    () => ({ name: text, status: "error", code: 1, message: text }) as const,
  );
  const status = { ...showAll(waiting), message: text, substatuses };
  await writeStatus({ folder, sequence: 1, status, now });
  const bytes = await readFile(join(folder, "1.status"));
  expect(bytes.length).toBeLessThanOrEqual(statusFileLimitBytes);
  expectReadable(bytes);
  expect((await readStatusFile(folder, { sequence: 1 })).kind).toBe("valid");
});

test.each([
  ["short texts", waiting, true],
  ["a message with blanks around it", statusWith({ message: " short \n" }), true],
  ["a message that is too long", statusWith({ message: "x y ".repeat(5000) }), false],
  ["as many substatuses as there may be", statusWith({ substatuses: substatuses(24, "short") }), true],
  ["one substatus more", statusWith({ substatuses: substatuses(25, "short") }), false],
  ["one long substatus", statusWith({ substatuses: substatuses(1, "x y ".repeat(5000)) }), false],
])("fitsUncut() tells whether every text would be whole: %s", (_case, status, fits) => {
  expect(fitsUncut(showAll<Status>(status))).toBe(fits);
});

function substatuses(count: number, message: string): Status["substatuses"] {
  return Array.from({ length: count }, () => ({ name: "A", status: "error" as const, code: 1, message }));
}

test("one long substatus is cut and the short ones beside it stay whole", () => {
  const [long = "", ...short] = [`${"x y ".repeat(6000)}`, "a b ".repeat(20), "c d ".repeat(300), "e"];
  const messages = [short[1], long, short[0], short[2]].map((message = "") => ({
    name: "A",
    status: "error" as const,
    code: 1,
    message,
  }));
  const bound = boundStatus(showAll<Status>(statusWith({ message: "Failed", substatuses: messages })));
  expect(bound.substatuses.map(({ message }) => message.length)).toEqual([1199, expect.any(Number), 79, 1]);
  expect(bound.substatuses[1]?.message.length).toBeGreaterThan(12_000);
});

test.each([
  [2_147_483_647, "error", 2_147_483_647],
  [-2_147_483_647, "error", -2_147_483_647],
  [2_147_483_648, "error", -9],
  [1.5, "error", -9],
  [Number.NaN, "warning", 0],
  [-0, "error", 0],
] as const)("the code %d of a status %s is written as %d, which the platform can read", (code, kind, expected) => {
  expect(Object.is(written(statusWith({ code, kind })).code, expected)).toBe(true);
});

test.each([199, 200, 201])("a first line of %i characters, with and without a second one", (length) => {
  const line = "ä".repeat(length);
  const shown = length > 200 ? `${"ä".repeat(199)}…\n…${"ä".repeat(length - 199)}` : line;
  expect(written(statusWith({ message: line })).formattedMessage.message).toBe(shown);
  expect(written(statusWith({ message: `${line}\nmore` })).formattedMessage.message).toBe(`${shown}\nmore`);
});

test("a status that is not there is absent, and one that cannot be read is an error", async () => {
  const folder = await newFolder();
  expect(await readStatusFile(folder, { sequence: 1 })).toEqual({ kind: "absent" });
  await mkdir(join(folder, "1.status"));
  await expect(readStatusFile(folder, { sequence: 1 })).rejects.toMatchObject({ code: "EISDIR" });
});
