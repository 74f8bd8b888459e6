import { expect, jest, test } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { parseSettingsFile } from "../../../handler/contract/settings-file.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";
import { settingsError } from "../../../handler/settings/settings-error.ts";
import { settingRows } from "../../../handler/settings/schema.ts";
import { parseJson } from "../../../handler/text/parse-json.ts";
import { faultPlan } from "../../faults/fault-plan.ts";
import { randomFrom } from "../../model/random.ts";

// One input that is lost is lost.
jest.retryTimes(0);

type Random = () => number;

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from");
  return item;
}

const keys = Object.keys(settingRows);
const oddKeys = [
  "__proto__",
  "constructor",
  "toString",
  "",
  " ",
  "TIMEOUTSECONDS",
  "timeoutSecond",
  "\u0000",
  "a".repeat(500),
  "0",
  "💥",
];
const bomb = gzipSync(Buffer.alloc(2 * 1024 * 1024)).toString("base64");
/** Each is JSON or can be made of it. */
const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  300,
  "300",
  " 5 ",
  "true",
  "FALSE",
  "",
  " ",
  "\u0000",
  "\ud800",
  "💥".repeat(50),
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: { b: {} } },
  "[]",
  "{}",
  "[1,",
  '["https://a.example/x"]',
  "https://a.example/x,https://b.example/y",
  "https://user:secret@a.example/?sig=x",
  "http://[::1",
  "ftp://a.example/x",
  "javascript:alert(1)",
  "date",
  "ZGF0ZQo=",
  "%%%",
  bomb,
  "../../etc/passwd",
  "1.2.3",
  "v1",
  "ab".repeat(32),
  "enforce",
  "observe",
  "kubeadm",
  "11111111-2222-3333-4444-555555555555",
  { clientId: 5 },
  { clientId: "11111111-2222-3333-4444-555555555555", objectId: "11111111-2222-3333-4444-555555555555" },
  "x".repeat(3000),
  9_007_199_254_740_992,
  "9".repeat(400),
  ["a", 5, null],
  "\u202e\u200b",
  "$(reboot)",
  "'; rm -rf / #",
];

function oddObject(random: Random): Record<string, unknown> {
  const count = Math.floor(random() * 6);
  const entries = Array.from({ length: count }, () => [
    random() < 0.85 ? pick(random, keys) : pick(random, oddKeys),
    pick(random, oddValues),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** Public or protected settings as the agent's JSON holds them; now and then no object at all. */
function oddSettings(random: Random): unknown {
  return random() < 0.9 ? oddObject(random) : pick(random, oddValues);
}

function oddFile(random: Random, publicSettings: unknown): unknown {
  const inner = {
    publicSettings,
    protectedSettings: pick(random, oddValues),
    protectedSettingsCertThumbprint: pick(random, oddValues),
  };
  const shapes = [
    { runtimeSettings: [{ handlerSettings: inner }] },
    { runtimeSettings: [{ handlerSettings: inner }, {}] },
    { runtimeSettings: [pick(random, oddValues)] },
    { runtimeSettings: pick(random, oddValues) },
    [inner],
    pick(random, oddValues),
  ];
  return random() < 0.6 ? shapes[0] : pick(random, shapes);
}

/** What the JSON text becomes when bytes are lost or changed on the way. */
function damaged(random: Random, text: string): string {
  const at = Math.floor(random() * text.length);
  const change = pick(random, ["", "\u0000", '"', "{", "\\", "\ufeff"]);
  return random() < 0.5 ? text.slice(0, at) : text.slice(0, at) + change + text.slice(at + 1);
}

test("100,000 generated inputs: nothing but a HandlerError is thrown, and every problem has its key and a sentence", () => {
  const random = randomFrom(8);
  const seen = { valid: 0, invalid: 0, unusable: 0, unreadable: 0 };
  for (let count = 0; count < faultPlan.fuzzedSettings.tries; count++) {
    const publicSettings = oddSettings(random);
    const file = JSON.stringify(oddFile(random, publicSettings));
    const json = parseJson(random() < 0.2 ? damaged(random, file) : file);
    if (json.kind === "malformed") seen.unreadable++;
    else if (!fileIsUsable(json.value)) seen.unusable++;
    seen[settingsAre(publicSettings, oddSettings(random))]++;
  }
  // A generator whose inputs are all refused at the door would prove nothing.
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(1000);
}, 120_000);

function fileIsUsable(value: unknown): boolean {
  try {
    parseSettingsFile(value, "/config/0.settings");
    return true;
  } catch (error) {
    if (!(error instanceof HandlerError) || error.id !== "settingsUnreadable") throw error;
    return false;
  }
}

function settingsAre(publicSettings: unknown, protectedSettings: unknown): "valid" | "invalid" {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  for (const warning of parsed.warnings) requireSentence(warning.message);
  if (parsed.kind === "valid") return "valid";
  if (parsed.problems.length === 0) throw new Error("Invalid without a problem");
  for (const problem of parsed.problems) {
    requireSentence(problem.message);
    if (!problem.message.includes(problem.key)) throw new Error(`"${problem.message}" does not name ${problem.key}`);
  }
  const { message } = settingsError(parsed.problems);
  for (const { key } of parsed.problems) if (!message.includes(key)) throw new Error(`${key} is not in "${message}"`);
  return "invalid";
}

function requireSentence(message: string): void {
  if (message.length < 10 || message.length > 2000) throw new Error(`No sentence: "${message.slice(0, 3000)}"`);
}

test("whatever else is set, each wrong value is among the problems", () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ["timeoutSeconds", "soon"],
    ["pollSeconds", -5],
    ["mode", "strict"],
    ["checkSha256", "abc"],
    ["echoToConsole", "perhaps"],
    ["bootstrapProvider", ["kubeadm"]],
  ];
  const random = randomFrom(9);
  for (let count = 0; count < 2000; count++) {
    const planted = wrong.filter(() => random() < 0.5);
    const others = Object.entries(oddObject(random)).filter(([key]) => !wrong.some(([name]) => name === key));
    const parsed = parseSettings({
      publicSettings: Object.fromEntries([...others, ...planted]),
      protectedSettings: undefined,
    });
    const found = parsed.kind === "invalid" ? parsed.problems.map(({ key }) => key) : [];
    expect(found).toEqual(expect.arrayContaining(planted.map(([key]) => key)));
  }
});
