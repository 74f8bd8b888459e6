import { expect, test } from "@jest/globals";
import { touchedDifferences } from "../../../handler/settings/differences.ts";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";

/** The topics of the differences that these settings meet. */
function topics(publicSettings: Readonly<Record<string, unknown>>, protectedSettings?: unknown): readonly string[] {
  const parsed = parseSettings({ publicSettings, protectedSettings });
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems));
  return touchedDifferences(parsed.settings).map((line) => line.slice(0, line.indexOf(":")));
}

const date = { commandToExecute: "date" };
const ofEveryCommand = ["Deadline", "Interrupted command", "Status text", "Command line"];

test("a plain command meets the deadline, the words of the status and that it is not run again", () => {
  expect(topics(date)).toEqual(ofEveryCommand);
});

test("settings without a command differ in nothing", () => {
  expect(topics({})).toEqual([]);
});

test("a difference is said without the marks of the page", () => {
  const parsed = parseSettings({ publicSettings: date, protectedSettings: undefined });
  const [deadline = ""] = parsed.kind === "valid" ? touchedDifferences(parsed.settings) : [];
  expect(deadline).toMatch(
    /^Deadline: timeoutSeconds, 1,200 s unless set.* \(Custom Script: none; Azure gives up after 90 minutes\)$/u,
  );
});

const sentinel = "while [ ! -f /run/cluster-api/bootstrap-success.complete ]; do sleep 5; done";
const blob = "https://account.blob.core.windows.net/c/a.sh";

test.each<readonly [string, Readonly<Record<string, unknown>>, unknown, readonly string[], readonly string[]]>([
  ["a deadline that was set", { ...date, timeoutSeconds: 900 }, {}, [], ["Deadline"]],
  ["a restart", { ...date, restart: "once" }, {}, ["Restart on request"], ["Interrupted command"]],
  ["a reboot", { commandToExecute: "sh a.sh; reboot" }, {}, ["Reboot in the command"], []],
  ["a shutdown in brackets", { commandToExecute: "(shutdown -r +1)" }, {}, ["Reboot in the command"], []],
  ["a file that is named for a reboot", { commandToExecute: "sh reboot.sh" }, {}, [], []],
  ["CAPZ's own command", { commandToExecute: sentinel }, {}, ["CAPZ's own command"], []],
  ["CAPZ's own, looked at alone", { commandToExecute: sentinel, lookBeside: false }, {}, [], []],
  ["nohup", { commandToExecute: "nohup sh a.sh" }, {}, ["Background work"], []],
  ["a process in the background", { commandToExecute: "sh a.sh &" }, {}, ["Background work"], []],
  ["one that is written together", { commandToExecute: "sh a.sh&" }, {}, ["Background work"], []],
  ["two commands", { commandToExecute: "true && date" }, {}, [], []],
  ["an address with &", { commandToExecute: "curl https://x.example/?a=1&b=2" }, {}, [], []],
  ["files", { ...date, fileUris: [blob] }, {}, ["Folders", "Download size"], []],
  ["files that go", { ...date, removeFiles: true }, {}, ["Files after the command"], []],
  ["a script", { script: "ZGF0ZQo=" }, {}, ["Script size"], ["Command line"]],
  ["a proxy", date, { proxy: "http://p.example:3128" }, ["Proxy"], []],
  [
    "an identity for a blob",
    { ...date, fileUris: [`${blob}?see=http:x`] },
    { managedIdentity: {} },
    ["Folders", "Download size"],
    [],
  ],
  [
    "a key for a blob of another account",
    { ...date, fileUris: [blob] },
    { storageAccountName: "another", storageAccountKey: "a2V5" },
    ["Folders", "Download size", "Storage key and managed identity"],
    [],
  ],
  [
    "an identity for a blob with a token of its own, over http too",
    { ...date, fileUris: [`${blob.replace("https", "http")}?sig=x`] },
    { managedIdentity: {} },
    ["Folders", "Download size"],
    [],
  ],
  [
    "a machine that goes down",
    { commandToExecute: "systemctl --force reboot;/sbin/init 6" },
    {},
    ["Reboot in the command"],
    [],
  ],
  ["a word that only looks like it", { commandToExecute: "touch /run/reboot-required; git init 6" }, {}, [], []],
  [
    "an identity for another host",
    { ...date, fileUris: [blob, "https://files.example/b.sh"] },
    { managedIdentity: {} },
    ["Folders", "Download size", "Storage key and managed identity"],
    [],
  ],
  [
    "an identity over http",
    { ...date, fileUris: [blob.replace("https", "HTTP")] },
    { managedIdentity: {} },
    ["Folders", "Download size", "Storage key and managed identity"],
    [],
  ],
  [
    "another host without a credential",
    { ...date, fileUris: ["https://f.example/a"] },
    {},
    ["Folders", "Download size"],
    [],
  ],
])("%s meets just its own differences", (...[, publicSettings, protectedSettings, more, fewer]) => {
  const expected = [...ofEveryCommand.filter((topic) => !fewer.includes(topic)), ...more];
  expect(topics(publicSettings, protectedSettings).toSorted()).toEqual(expected.toSorted());
});
