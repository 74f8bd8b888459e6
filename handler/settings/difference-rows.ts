import { storageAccountOf } from "../text/storage-host.ts";
import { goesDown } from "./command-hints.ts";
import type { CommandSettings, Difference } from "./difference.ts";
import type { FileUri, Settings } from "./settings.ts";

const hasFiles = ({ fileUris }: CommandSettings): boolean => fileUris.length > 0;
const textOf = ({ command }: CommandSettings): string =>
  command.kind === "line" ? command.line.reveal() : command.bytes.toString("latin1");
const wordsOf = (command: CommandSettings): readonly string[] => textOf(command).split(/[\s"'();|]+/);
/** An address to which the key or the identity of the settings is not sent. */
const getsNoCredential = ({ uri }: FileUri, { storage }: Settings): boolean => {
  const url = URL.parse(uri.reveal());
  const account = url === null ? undefined : storageAccountOf(url);
  if (url?.searchParams.has("sig") !== false) return false;
  return storage.kind === "account-key" ? account !== storage.account : account === undefined;
};
const always = (): boolean => true;

/** docs/custom-script.md is made from these, and `settings check` prints those that the settings touch. */
export const differenceRows: readonly Difference[] = [
  {
    topic: "Deadline",
    upstream: "none; Azure gives up after 90 minutes",
    here: "`timeoutSeconds`, 1,200 s unless set, at most 5,100 s; then the command and all it started are ended",
    why: "A command that hangs is told with its last output, not lost",
    touches: (_, { timeoutSeconds }) => timeoutSeconds === 1200,
  },
  {
    topic: "Interrupted command",
    known: "measured",
    upstream: "is not run again; the status stays `transitioning` for ever",
    here: "is not run again unless `restart` says so; the verdict is `Interrupted` and says what happened",
    why: "A command is not a thing to repeat unasked, and a status must end",
    touches: ({ restart }) => restart === "never",
  },
  {
    topic: "Restart on request",
    upstream: "does not exist",
    here: "the command begins again from its first line, in a clean folder, after a reboot, an update or a crash",
    why: "Asked for with `restart`",
    touches: ({ restart }) => restart !== "never",
  },
  {
    topic: "Reboot in the command",
    known: "measured",
    upstream: "leaves the status `transitioning`",
    here: "a command that has exited before the machine goes down has its verdict; one that has not is `Interrupted`",
    why: "End with `shutdown -r +1` and exit 0, so that both are told apart",
    touches: (command) => goesDown(textOf(command)),
  },
  {
    topic: "CAPZ's own command",
    known: "measured",
    upstream: "runs to its end: success within 5 s of the sentinel, failure after 300 s",
    here: "is ended as soon as the packaged check is certain, unless `lookBeside` is `false`",
    why: "The verdict comes seconds after the failure, with its cause",
    touches: ({ lookBeside }, settings) =>
      lookBeside && settings.check.kind === "command" && textOf(settings.check).includes("bootstrap-success.complete"),
  },
  {
    topic: "Status text",
    known: "measured",
    upstream: "`Enable succeeded:` or the error, then `[stdout]` and `[stderr]`",
    here: "the verdict first (`Bootstrapped in 4 s`, `Bootstrap failed (CommandFailed) after 4 s: …`), then the same two sections, last, unless the command printed nothing",
    why: "The first line is what portals and kubectl show; a script that parses the sections goes on working",
    touches: always,
  },
  {
    topic: "Exit code",
    known: "measured",
    upstream: "status code 2, the number within the text `command terminated with exit status=12`",
    here: "status code 2, the number within the text `the command exited with code 12`; a signal is named, not `-1`",
    why: "The text says it once; -1 is no exit code",
  },
  {
    topic: "Output in the status",
    known: "measured",
    upstream: "the last 4,096 bytes of each stream, cut anywhere",
    here: "the same, cut at a line or a whole character and marked, with secrets replaced; less where the whole status would pass 16 KiB",
    why: "The guest agent cuts larger files without regard to meaning",
  },
  {
    topic: "Output size",
    upstream: "no limit",
    here: "a command that writes more than 64 MiB to its two streams is ended; the last MiB of each is kept",
    why: "A full disk costs the node",
  },
  {
    topic: "Status while it runs",
    upstream: "`transitioning`, written once",
    here: "`transitioning` with the time used and the last 1,000 characters of each stream, every 15 s if there is news",
    why: "Nobody can log in to look",
  },
  {
    topic: "Background work",
    upstream: "outlives the command; nothing ends it",
    here: "outlives a command that ended by itself; at the deadline, `disable` or new settings in the middle of the command all of it is ended",
    why: "Without that a deadline would mean nothing",
    touches: (command) =>
      wordsOf(command).some((word) => ["nohup", "setsid", "disown"].includes(word) || /(?:^|[^&])&$/.test(word)),
  },
  {
    topic: "disable and update in the middle of a command",
    known: "measured",
    upstream: "leave it running and write their own status over its",
    here: "`disable` ends it, and `enable` of the same settings then says `Interrupted`; no command but `enable` writes a status",
    why: "A verdict is never overwritten",
  },
  {
    topic: "Folders",
    upstream:
      "`/var/lib/waagent/custom-script/download/N`, which a command can name. Windows: below `C:\\Packages\\Plugins`, in the folders of a blob's address",
    here: "a private folder in which the command starts; its path is not fixed, so use `./NAME`. Windows keeps the folders of a blob's address too: `.\\FOLDER\\NAME`",
    why: "Two handlers must not share a folder, and what lies there may be secret",
    touches: hasFiles,
  },
  {
    topic: "Files after the command",
    upstream: "stay until other settings come",
    here: "the same; with `removeFiles` they go at once",
    why: "Secrets in scripts",
    touches: ({ removeFiles }) => removeFiles,
  },
  {
    topic: "stdout and stderr files",
    known: "measured",
    upstream: "in the download folder",
    here: "one folder above it; within the command both are ordinary files as there",
    why: "The working folder holds the downloads and nothing else",
  },
  {
    topic: "Download size",
    upstream: "no limit",
    here: "256 MiB a file",
    why: "The system disk of a node is small",
    touches: hasFiles,
  },
  {
    topic: "Script size",
    upstream: "262,144 characters of base64; what is inflated has no limit",
    here: "the same, and 1 MiB inflated",
    why: "A small gzip can fill the memory",
    touches: ({ command }) => command.kind === "script",
  },
  {
    topic: "Download retries",
    known: "measured",
    upstream: "7 tries with fixed pauses of 189 s in all, for lasting mistakes too; no time-out for the body",
    here: "8 tries with growing pauses and jitter, `Retry-After` is obeyed, a lasting mistake is told at once; 30 s without a byte is a failed try",
    why: "Thousands of nodes start at once",
  },
  {
    topic: "Redirects",
    upstream: "followed, from https to http too",
    here: "at most 5 are followed, from https to https only; a key, a token or a password never goes along",
    why: "A redirect must not take the protection away",
  },
  {
    topic: "Two addresses with one file name",
    upstream: "the last one wins; on Windows folders of blobs are kept, so that these do not collide",
    here: "an error before anything is downloaded, but for such folders on Windows; the same address twice is one file",
    why: "A silent overwrite runs the wrong script",
  },
  {
    topic: "Storage key and managed identity",
    upstream: "go to any host that looks like storage, over http too",
    here: "go to the blob endpoints of the Azure clouds, over https only, and a key to its own account only; any other address is asked without them. A public blob is tried without a token first, as there",
    why: "A token for storage is a token for all of it",
    touches: (command, settings) =>
      settings.storage.kind !== "anonymous" && command.fileUris.some((file) => getsNoCredential(file, settings)),
  },
  {
    topic: "Proxy",
    upstream: "the guest agent's variables",
    here: "the setting `proxy`, else the guest agent's variables; the command gets the variables, not the setting",
    why: "Closed networks often set no variables on the agent's service",
    touches: (_, { proxy }) => proxy !== undefined,
  },
  {
    topic: "Command line",
    upstream: "is an argument of `/bin/sh -c`, which every user can read in `/proc`",
    here: "Linux: the shell reads it from a private file. `$0`, `$#`, the exit code and what the status shows of messages of the shell are the same",
    why: "Protected settings are to be protected on the machine too",
    touches: ({ command }) => command.kind === "line",
  },
  {
    topic: "Environment",
    upstream: "the guest agent's",
    here: "the guest agent's, and `CAPZ_ROOT`, `CAPZ_CHECK_OUTPUT`, `CAPZ_PROVIDER`, `CAPZ_VM_ID`, `CAPZ_BOOT_ID`, `CAPZ_PROTOCOL`, `CAPZ_ELAPSED_SECONDS`, `CAPZ_TIMEOUT_SECONDS`, `CAPZ_STATE_DIR` and `CAPZ_BOOTSTRAP_RUN`; priority and out-of-memory score are the agent's too. Windows: without `PSModulePath`, of which each PowerShell makes its own",
    why: "A command may report its stage (see the check protocol)",
  },
  {
    topic: "No command",
    known: "measured",
    upstream: "success without running anything",
    here: "the check in the package looks at the node; a command that is empty is an error",
    why: "A template's variable that came out empty must not look like success",
  },
  {
    topic: "Unknown keys",
    known: "measured",
    upstream: "an error",
    here: "a warning; an error where the key looks like one that decides what runs",
    why: "A typing error must neither fail a node for nothing nor run something else",
  },
  {
    topic: "Rules over several keys",
    known: "measured",
    upstream: "skipped since 2.1.17: of `commandToExecute` and `script` one is run",
    here: "enforced, all problems at once",
    why: "Settings that contradict themselves have no right answer",
  },
  {
    topic: "A script that cannot be decoded",
    known: "measured",
    upstream: "success, nothing is run",
    here: "an error",
    why: "As above",
  },
  {
    topic: "Settings as texts",
    upstream: "refused for numbers, lists, true and false",
    here: "accepted everywhere, and `timestamp` and `skipDos2Unix` in the protected settings too",
    why: "CAPZ can carry texts only",
  },
  {
    topic: "`script` on Windows",
    known: "documentation",
    upstream: "does not exist",
    here: "PowerShell, from a file `script.ps1`",
    why: "The same settings on both systems",
  },
  {
    topic: "Sequence numbers",
    upstream: "only a higher one is run",
    here: "every other one is run",
    why: "The agent's numbers can go down",
  },
  {
    topic: "Policy file",
    upstream: "`waagent_runtime_policy.json` can allow scripts by digest",
    here: "not read; pin files with `#sha256=` in `fileUris`",
    why: "The pin stands where the file is named",
  },
  {
    topic: "Telemetry",
    upstream: "`.tld` files",
    here: "the agent's events folder",
    why: "The form that the agent reads today",
  },
];
