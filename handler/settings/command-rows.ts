import type { SettingRow } from "./setting-row.ts";
import { restarts } from "./settings.ts";

const open = { place: "either", secret: false } as const;

/** What we add to the Custom Script settings: how a command is run. */
export const commandRows = {
  restart: {
    ...open,
    type: "choice",
    group: "custom-script",
    values: restarts,
    default: "never",
    decides: true,
    description:
      "What happens to a command that a reboot, an update of the extension or a crash interrupted. `never`: it is not run again, and the verdict is `Interrupted`. `once`: it runs once more, from its beginning and in a clean folder. `always`: as often as it is interrupted, until the deadline. A command that only waits for the node, as CAPZ's own does, goes on waiting whatever stands here.",
    examples: ["once"],
  },
  runAsUser: {
    ...open,
    type: "text",
    group: "custom-script",
    pattern: "^[A-Za-z_][A-Za-z0-9_.-]{0,31}$",
    allowed: "the name of a user of the machine, at most 32 characters",
    decides: true,
    description:
      "User that the command runs as, with its groups, on Linux; without it root. The user must exist when the command starts, and `setpriv` (util-linux) must be there. There is no login: no PAM session, no limits of it and no profile. Windows has no such thing here: an error.",
    examples: ["azureuser"],
  },
  removeFiles: {
    ...open,
    type: "boolean",
    group: "custom-script",
    default: false,
    description:
      "Removes downloaded files and the script as soon as the command has ended. Otherwise they stay, for root alone, until new settings or `uninstall`, so that background work finds them.",
    examples: [true],
  },
  lookBeside: {
    ...open,
    type: "boolean",
    group: "custom-script",
    default: true,
    description:
      "While a command of your own runs, the packaged check looks at the node too. It shows how far the bootstrap is; a command that only waits for CAPZ's sentinel is ended as soon as the outcome is certain. Any other command is never ended by it.",
    examples: [false],
  },
} as const satisfies Record<string, SettingRow>;
