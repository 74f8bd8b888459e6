import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorText, isDenial } from "../errors/handler-error.ts";
import { resolveBelow } from "../files/resolve-below.ts";
import type { Host, RunResult } from "../host.ts";
import { uptimePlace } from "./event-log-windows.ts";
import { decodeText } from "../text/decode-text.ts";
import type { EvidenceSummary } from "./diagnosis.ts";
import type { EvidenceSink, EvidenceSource } from "./evidence-source.ts";
import { isDenied, isJournalDenied } from "./denied-evidence.ts";
import { OlderLinesFilter } from "./evidence-source-age.ts";
import { findFiles, type FoundFile } from "./evidence-source-files.ts";
import type { FirstBoot } from "./first-boot.ts";
import { streamFile } from "./evidence-source-read.ts";
import { journalCommand } from "./journal.ts";

export interface CollectRequest {
  readonly host: Host;
  readonly sources: readonly EvidenceSource[];
  /** True for the running machine: only then are commands run. */
  readonly live: boolean;
  /** Over all sources. */
  readonly timeLimitMs: number;
  /** Nothing from before this VM first booted; files wait for the answer, commands do not. */
  readonly firstBoot?: Promise<FirstBoot | undefined>;
}

const fileBytes = 16 * 1024 * 1024;
const commandBytes = 3 * 1024 * 1024;
const sourceTimeoutMs = 4000;
/** Commands at work ahead of their turn: two processors are busy, and at most this many long outputs lie in memory. */
const ahead = 4;
/** A diagnosis that was foreseen and does not come starts no more of them: a supervisor that has succeeded shall not live for them. */
const foreseenMs = 5000;
/** A shorter output may wait for its turn while the next command works. */
const longOutput = 256 * 1024;

export interface StartedEvidence {
  /** Reads `first`, texts that the caller has, and then every source into the sink, one after the other; what cannot be had is a result. Never throws. */
  read(sink: EvidenceSink, first?: readonly EvidenceSource[]): Promise<readonly EvidenceSummary[]>;
}

/** Starts the first commands, which work while the caller makes ready what takes their output; bounded in bytes and time. */
export function startEvidence(request: CollectRequest): StartedEvidence {
  const collection = new Collection(request);
  return { read: (sink, first = []) => collection.read(sink, first) };
}

class Collection {
  readonly #request: CollectRequest;
  readonly #deadlineMs: number;
  readonly #begunMs: number;
  #isRead = false;
  readonly #started = new Map<EvidenceSource, Promise<RunResult>>();
  /** In their order. */
  readonly #toStart: EvidenceSource[];
  /** Started ones that work or hold a long output. */
  readonly #held = new Set<EvidenceSource>();
  #sink: EvidenceSink = { feed: () => undefined, endSource: () => undefined };
  #journalWasRead = false;

  constructor(request: CollectRequest) {
    this.#request = request;
    this.#begunMs = request.host.monotonicMs();
    this.#deadlineMs = this.#begunMs + request.timeLimitMs;
    this.#toStart = request.sources.filter((source) => this.#commandOf(source) !== undefined);
    this.#startNext();
  }

  async read(sink: EvidenceSink, first: readonly EvidenceSource[]): Promise<readonly EvidenceSummary[]> {
    this.#sink = sink;
    this.#isRead = true;
    this.#startNext();
    const summaries: EvidenceSummary[] = [];
    for (const source of [...first, ...this.#request.sources]) {
      summaries.push(...(await this.#read(source)));
      this.#started.delete(source);
      this.#letGo(source);
    }
    return summaries;
  }

  /** Before their turn comes, so that no program waits for the reading of a file. */
  #startNext(): void {
    if (!this.#isRead && this.#request.host.monotonicMs() - this.#begunMs > foreseenMs) return;
    while (this.#held.size < ahead && this.#leftMs() > 0) {
      const next = this.#toStart.shift();
      if (next === undefined) return;
      this.#start(next);
    }
  }

  #letGo(source: EvidenceSource): void {
    if (this.#held.delete(source)) this.#startNext();
  }

  #leftMs(): number {
    return this.#deadlineMs - this.#request.host.monotonicMs();
  }

  async #read(source: EvidenceSource): Promise<readonly EvidenceSummary[]> {
    if (this.#leftMs() <= 0) return [summary(source, "timed-out", { note: "no time left for it" })];
    try {
      return await this.#readNow(source);
    } catch (error) {
      return [{ ...summary(source, "not-available", { note: errorText(error) }), ...deniedIf(isDenial(error)) }];
    } finally {
      this.#sink.endSource();
    }
  }

  async #readNow(source: EvidenceSource): Promise<readonly EvidenceSummary[]> {
    const { read } = source;
    switch (read.kind) {
      case "file":
        return this.#readFiles(source, read);
      case "journal":
        return [{ ...(await this.#readCommand(source)), ...this.#deniedJournal() }];
      case "command":
        return [await this.#readCommand(source, read.show)];
      case "presence":
        return [this.#feedText(source, presence(this.#request.host.root, read.paths))];
      case "text":
        return [this.#feedText(source, read.text)];
    }
  }

  async #readFiles(
    source: EvidenceSource,
    read: Extract<EvidenceSource["read"], { kind: "file" }>,
  ): Promise<readonly EvidenceSummary[]> {
    if (read.insteadOfJournal === true && this.#journalWasRead) return [];
    const files = await findFiles(this.#request.host.root, read);
    if (files.length === 0) return [this.#noFile(source, read.paths)];
    const summaries: EvidenceSummary[] = [];
    for (const file of files) {
      summaries.push(await this.#readFile({ ...source, origin: file.shown }, file));
      this.#sink.endSource();
    }
    return summaries;
  }

  #noFile(source: EvidenceSource, paths: readonly string[]): EvidenceSummary {
    const denied = isDenied(this.#request.host.root, paths);
    const note = denied ? "this user may not look there" : "no such file";
    return { ...summary(source, "not-available", { note }), ...deniedIf(denied) };
  }

  #deniedJournal(): Pick<EvidenceSummary, "denied"> {
    const { host, live } = this.#request;
    return deniedIf(live && isJournalDenied(host.root));
  }

  async #readFile(source: EvidenceSource, file: FoundFile): Promise<EvidenceSummary> {
    const firstBoot = await this.#request.firstBoot;
    if (firstBoot !== undefined && file.modifiedMs < firstBoot.ms) {
      return summary(source, "not-available", { note: "last written before this machine first booted" });
    }
    const limit = source.maxBytes ?? fileBytes;
    const until = this.#request.host.monotonicMs() + Math.min(source.timeoutMs ?? sourceTimeoutMs, this.#leftMs());
    const filter = firstBoot === undefined ? undefined : new OlderLinesFilter(firstBoot, file.modifiedMs);
    const { bytes, state } = await streamFile({
      file,
      maxBytes: limit,
      filter,
      isLate: () => this.#request.host.monotonicMs() > until,
      feed: (chunk) => {
        this.#sink.feed(source, chunk);
      },
    });
    if (state === "gap") {
      const note = `the time ran out: of ${file.size} bytes the newest end was read and a part before it was left out`;
      return summary(source, "timed-out", { bytes, note });
    }
    const older = filter?.skippedBytes ?? 0;
    const notes = [
      ...(state === "end-only" ? [`only the last ${limit} of ${file.size} bytes were read`] : []),
      ...(older > 0 ? [`${older} bytes from before this machine first booted were left out`] : []),
    ];
    return summary(source, notes.length > 0 ? "cut" : "read", { bytes, note: notes.join("; ") });
  }

  #commandOf({ read }: EvidenceSource): readonly [string, ...string[]] | undefined {
    const { host, live } = this.#request;
    if (read.kind === "journal") return journalCommand(host.root, { live, matches: read.matches });
    if (read.kind !== "command" || !live) return undefined;
    if (read.of !== undefined && !isThere(host.root, read.of)) return undefined;
    const [program, ...args] = read.command;
    const uptimeMs = String(Math.round(host.monotonicMs()));
    return [program, ...args.map((part) => part.replace(uptimePlace, uptimeMs))];
  }

  #start(source: EvidenceSource): void {
    const command = this.#commandOf(source);
    if (command === undefined) return;
    const [name, ...args] = command;
    const { host } = this.#request;
    const file = host.platform.programPath?.(name) ?? name;
    const timeoutMs = Math.min(source.timeoutMs ?? sourceTimeoutMs, Math.max(1, this.#leftMs()));
    const maxBytes = source.maxBytes ?? commandBytes;
    const result = host
      .run(file, args, { timeoutMs, maxBytes, env: { LC_ALL: "C", SYSTEMD_COLORS: "0" }, takesRemembered: true })
      .catch((error: unknown): RunResult => ({ kind: "not-started", reason: errorText(error) }));
    this.#started.set(source, result);
    this.#held.add(source);
    void result.then((ended) => {
      if (ended.kind === "not-started" || ended.stdout.length < longOutput) this.#letGo(source);
    });
  }

  async #readCommand(source: EvidenceSource, show?: (output: string) => string): Promise<EvidenceSummary> {
    const result = await this.#started.get(source);
    if (result === undefined) return summary(source, "not-available", { note: this.#whyNoCommand(source) });
    if (result.kind === "not-started") return summary(source, "not-available", { note: result.reason });
    const printed = await this.#inUtf8(result.stdout);
    const stdout = show === undefined ? printed : Buffer.from(show(decodeText(printed)), "utf8");
    if (stdout.length > 0) this.#sink.feed(source, stdout);
    // journalctl ends well where there is no journal at all.
    if (source.read.kind === "journal" && stdout.length > 0) this.#journalWasRead = true;
    const bytes = stdout.length;
    if (result.kind === "timed-out") return summary(source, "timed-out", { bytes });
    if (bytes > 0) return summary(source, "read", { bytes });
    if (result.kind === "exited" && result.code === 0)
      return summary(source, "read", { bytes, note: "it says nothing" });
    return summary(source, "not-available", { note: firstLine(result.stderr) });
  }

  /** What a program printed, out of the system's code page. */
  async #inUtf8(printed: Buffer): Promise<Buffer> {
    const { platform, run } = this.#request.host;
    return Buffer.from((await platform.toUtf8?.(printed, run)) ?? printed);
  }

  #whyNoCommand({ read }: EvidenceSource): string {
    if (read.kind === "journal") return "no journal below the given root";
    return this.#request.live ? "no such log" : "commands are run on the live machine only";
  }

  #feedText(source: EvidenceSource, text: string): EvidenceSummary {
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length > 0) this.#sink.feed(source, bytes);
    return summary(source, "read", { bytes: bytes.length });
  }
}

function presence(root: string, paths: readonly string[]): string {
  return paths.map((path) => `file ${path}: ${isThere(root, path) ? "present" : "absent"}\n`).join("");
}

function isThere(root: string, path: string): boolean {
  const place = resolveBelow(root, join(root, path));
  return place !== undefined && existsSync(place);
}

function deniedIf(denied: boolean): Pick<EvidenceSummary, "denied"> {
  return denied ? { denied } : {};
}

function firstLine(output: Buffer): string {
  const line = output.toString("utf8").trim().split("\n")[0] ?? "";
  return line === "" ? "the command failed without a word" : line.slice(0, 200);
}

function summary(
  { origin, source }: EvidenceSource,
  state: EvidenceSummary["state"],
  { bytes = 0, note = "" }: { readonly bytes?: number; readonly note?: string } = {},
): EvidenceSummary {
  return note === "" ? { origin, source, state, bytes } : { origin, source, state, bytes, note };
}
