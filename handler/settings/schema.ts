import { defaultBaseUri } from "./default-base-uri.ts";
import { commandRows } from "./command-rows.ts";
import { reportRows } from "./report-rows.ts";
import type { SettingRow } from "./setting-row.ts";
import { bootstrapProviders, modes } from "./settings.ts";

export const scriptEncodedLimit = 262_144;
export const scriptInflatedLimitBytes = 1024 * 1024;
/** cmd.exe takes no line of more than 8191 characters, its own call included (Microsoft: command-line string limitation). */
export const longestWindowsCommand = 8191 - String.raw`C:\Windows\System32\cmd.exe /d /s /c ""`.length;

const open = { place: "either", secret: false } as const;
const hidden = { place: "either", secret: true } as const;
const protectedOnly = { place: "protected", secret: true } as const;

/** The one source: the parser, manifests/settings.schema.json and docs/settings.md all come from this table. */
export const settingRows = {
  commandToExecute: {
    ...hidden,
    type: "text",
    group: "custom-script",
    allowed: "a command line",
    emptyIsUnset: true,
    decides: true,
    description: `Command that runs once; its exit code is the verdict. Linux runs it with \`/bin/sh\`, Windows with \`cmd /c\`, which takes at most ${longestWindowsCommand} characters. Put it into the protected settings if it holds a secret: then it stands neither in Azure's model of the machine nor in the list of processes.`,
    examples: ["sh wait-for-node.sh"],
  },
  script: {
    ...hidden,
    type: "text",
    group: "custom-script",
    allowed: "base64, optionally of a gzip file",
    maximumLength: scriptEncodedLimit,
    emptyIsUnset: true,
    decides: true,
    description:
      "Script that runs once, in base64; it may be compressed with gzip first. At most 262,144 characters, and at most 1 MiB when it is decoded.",
    examples: ["IyEvYmluL3NoCmV4aXQgMAo="],
  },
  fileUris: {
    ...hidden,
    type: "url-list",
    group: "custom-script",
    schemes: "http",
    decides: true,
    pinned: true,
    description:
      "Files that are downloaded into the working folder before the command runs. An address may end in `#sha256=` and 64 hexadecimal digits: a file with another digest never runs. The digest is that of the published bytes, before line ends are corrected.",
    examples: [
      ["https://example.blob.core.windows.net/scripts/wait-for-node.sh"],
      [
        "https://example.blob.core.windows.net/scripts/wait-for-node.sh#sha256=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      ],
    ],
  },
  ...commandRows,
  skipDos2Unix: {
    ...open,
    type: "boolean",
    group: "custom-script",
    default: false,
    description: "Leaves line ends and byte order marks of downloaded scripts as they are.",
    examples: [true],
  },
  timestamp: {
    ...open,
    type: "whole-number",
    group: "custom-script",
    // Some take ticks, of which JavaScript rounds the last digits; nobody reads them.
    minimum: -(2 ** 63),
    maximum: 2 ** 63,
    description: "Is not read. A new value makes the settings differ, so that Azure applies the extension again.",
    examples: [1767225600],
  },
  storageAccountName: {
    ...protectedOnly,
    type: "text",
    group: "custom-script",
    pattern: "^[a-z0-9]{3,24}$",
    allowed: "3 to 24 lower-case letters and digits",
    description: "Storage account of the files, together with `storageAccountKey`.",
    examples: ["examplestorage"],
  },
  storageAccountKey: {
    ...protectedOnly,
    type: "text",
    group: "custom-script",
    pattern: "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    allowed: "the base64 text that Azure shows as the key",
    description: "Access key of `storageAccountName`.",
    examples: ["ZXhhbXBsZSBrZXkgb2YgYW4gYWNjb3VudA=="],
  },
  managedIdentity: {
    ...protectedOnly,
    type: "identity",
    group: "custom-script",
    description:
      "Managed identity that may read the files. `{}` is the system-assigned one; `clientId` or `objectId` (not both) names a user-assigned one.",
    examples: [{}, { clientId: "11111111-2222-3333-4444-555555555555" }],
  },
  timeoutSeconds: {
    ...open,
    type: "whole-number",
    group: "wait",
    minimum: 30,
    maximum: 5100,
    default: 1200,
    description:
      "Deadline over everything: downloads, the check and its repetitions. A reboot does not start it again. Azure itself gives up after 5,400 seconds.",
    examples: [1800],
  },
  pollSeconds: {
    ...open,
    type: "whole-number",
    group: "wait",
    minimum: 1,
    maximum: 300,
    default: 15,
    description:
      "Longest pause between two looks at the node. Changes on the node wake the check earlier, so a small value gains little.",
    examples: [5],
  },
  graceSeconds: {
    ...open,
    type: "whole-number",
    group: "wait",
    minimum: 0,
    maximum: 120,
    default: 10,
    description:
      "Time that a check has between the request to end (SIGTERM) and its forced end, when the deadline is over. No effect on Windows, which has no such request: there the check is ended at once.",
    examples: [30],
  },
  aftercareSeconds: {
    ...open,
    type: "whole-number",
    group: "wait",
    minimum: 0,
    maximum: 3600,
    default: 600,
    description:
      "How long the handler goes on looking at a node that has failed: if it comes up late, the status becomes a success. 0 switches this off.",
    examples: [0],
  },
  mode: {
    ...open,
    type: "choice",
    group: "check",
    values: modes,
    default: "enforce",
    description:
      "`enforce`: a failed bootstrap fails the extension. `observe`: waits for the verdict and tells it, but never fails the extension. `report`: does not wait and runs nothing of the user's; looks once, states what is there (`BootstrapProof`) and succeeds.",
    examples: ["observe"],
  },
  bootstrapProvider: {
    ...open,
    type: "choice",
    group: "check",
    values: bootstrapProviders,
    default: "auto",
    unknownIs: "custom",
    description:
      "What bootstraps the node. `auto` finds out by looking at the node. `custom`: user data or a provider of your own; the node has bootstrapped when its kubelet is a working node, or when something writes `/run/cluster-api/bootstrap-success.complete`; it has failed when a command of the user data failed and nothing goes on, or when something writes `/run/cluster-api/bootstrap-failed.json`. `none`: nothing makes this machine a node (a bastion, a build machine); it is good when its first setup ended without errors. A name that is not known is looked at as `custom`, with a warning.",
    examples: ["kubeadm", "custom"],
  },
  checkVersion: {
    ...open,
    type: "text",
    group: "check",
    decides: true,
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    allowed: "a version such as 1.2.0: letters, digits, dots and dashes, at most 64",
    description: "Version of the check bundle. Without it the bundle in the package is used and nothing is downloaded.",
    examples: ["1.2.0"],
  },
  checkSha256: {
    ...open,
    type: "text",
    group: "check",
    decides: true,
    pattern: "^[0-9A-Fa-f]{64}$",
    allowed: "64 hexadecimal digits",
    description: "SHA-256 of the wanted bundle's `bundle.json`. With it no signature is needed.",
    examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  },
  checkBaseUris: {
    ...hidden,
    type: "url-list",
    group: "check",
    decides: true,
    schemes: "loopback-http",
    description: `Where the check bundle is looked for, in this order. Only asked where \`checkVersion\` or \`checkSha256\` names another bundle than the package holds. Without it the one address is \`${defaultBaseUri}\`, with \`checkVersion\` for \`{version}\`.`,
    examples: [["https://mirror.example.com/capz-bootstrap"]],
  },
  checkRequired: {
    ...open,
    type: "boolean",
    group: "check",
    decides: true,
    default: false,
    description: "If the wanted bundle cannot be had: `true` fails, `false` uses the bundle in the package and warns.",
    examples: [true],
  },
  proxy: {
    ...hidden,
    type: "url",
    group: "check",
    schemes: "http",
    description:
      "Proxy for downloads and uploads. The endpoints of Azure on the node itself are never asked through it.",
    examples: ["http://proxy.example.com:3128"],
  },
  ...reportRows,
} as const satisfies Record<string, SettingRow>;

type Rows = typeof settingRows;
export type SettingKey = keyof Rows;
export type KeyOfType<T extends SettingRow["type"]> = {
  [K in SettingKey]: Rows[K]["type"] extends T ? K : never;
}[SettingKey];

export const settingKeys: readonly string[] = Object.keys(settingRows);

/** Keys for which a typing mistake would make something else run than was meant. */
export const decidingKeys: readonly string[] = settingKeys.filter((key) => rowOf(key)?.decides === true);

export function rowOf(key: string): SettingRow | undefined {
  return isSettingKey(key) ? settingRows[key] : undefined;
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingRows, key);
}
