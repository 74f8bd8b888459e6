import { settlingLinesOf } from "./closing-lines.ts";
import { cleanText } from "../text/clean-text.ts";
import { TextStream } from "../text/decode-text.ts";
import { cutShown, show, showPartOf, type ShownText } from "../text/shown-text.ts";
import { linesInLiteral } from "../text/unescape-text.ts";
import type { Automaton } from "../text/automaton.ts";
import { BytesLiterals } from "./bytes-literals.ts";
import { matchPattern, placeOfMatch, type CompiledRules } from "./compile-rules.ts";
import type { ErrorLine } from "./error-lines.ts";
import { ErrorKeeper } from "./keep-errors.ts";
import { EndOfScript, type LastWords } from "./last-words.ts";
import type { AttemptStart, LineEvent, LogOrigin, OriginMatches } from "./line-event.ts";
import { linesKeptAlone } from "./elided.ts";
import { asTyped, linesToReadAgain } from "./as-typed.ts";
import { beginsLikeError, LineScanner, type CandidateLine } from "./line-scanner.ts";
import { decodeLine, keptNear, shorten } from "./line-text.ts";
import { lineTime } from "./timestamp.ts";
import { LogMarks, markTexts } from "./marks.ts";
import { passedOver } from "./passed-over.ts";
import type { FailingLine } from "./reading/failing-lines.ts";
import { leaveOut, type RawEvent, type RawLine, type RawMatches } from "./raw-matches.ts";
import { nextLogAfter, speakerAt, speakersOf, type Speaker } from "./pasted-text.ts";
import { errorInTime, matchesInTime, newestFirst, textInTime } from "./newest-first.ts";
import type { JoinedLine, LineRange } from "./unwrap.ts";
import type { WellLine } from "./went-well.ts";

export interface OpenLogRequest {
  readonly origin: LogOrigin;
  readonly originIndex: number;
  readonly compiled: CompiledRules;
  /** Over compiled.texts, then the texts of error lines, then markTexts. */
  readonly automaton: Automaton;
  readonly texts: number;
  /** Takes the log as people read it: decoded, cloudbase-init's literals as lines. The bytes may be used again afterwards. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
}

/** Matches of one pattern in one log after which further ones are only counted, and the last few tested at the end. */
const mostTested = 100;
const mostFirst = 3;
const mostLast = 2;
const pendingLines = 4;
/** It writes all that a script prints as one literal; elsewhere one is a part of a line, and is left to whoever redacts the line. */
const isOfLiterals = ({ source }: LogOrigin): boolean => source === "cloudbase-init";
/** A log up to this size is looked at a second time with its broken lines joined. */
const longestWrapped = 128 * 1024;
const noPatterns: readonly number[] = [];

/** Runs the patterns over one log and keeps a bounded number of lines, whatever its size. */
export class OpenLog {
  readonly origin: LogOrigin;
  readonly #matches = new Map<number, RawMatches>();
  readonly #marks = new LogMarks();
  readonly #request: OpenLogRequest;
  readonly #scanner: LineScanner;
  readonly #enabled: Uint8Array;
  /** Lines of patterns that matched often, not tested yet. */
  readonly #pending = new Map<number, RawLine[]>();
  readonly #errors = new ErrorKeeper();
  readonly #script: EndOfScript | undefined;
  #lastWords: LastWords | undefined;
  /** The log so far, while it is short enough to have been copied from a screen. */
  #whole: Buffer[] | undefined = [];
  #wholeBytes = 0;
  #speakers: readonly Speaker[] = [];
  #wellLines: readonly WellLine[] = [];
  /** Parts that list the newest line first. */
  #turned: readonly LineRange[] = [];
  #keptAlone: ReadonlySet<number> = new Set();
  readonly #stream = new TextStream();
  readonly #literals: BytesLiterals;

  constructor(request: OpenLogRequest) {
    this.origin = request.origin;
    this.#request = request;
    this.#script = request.origin.source === "cloud-init-output" ? new EndOfScript() : undefined;
    const sources = [request.origin.source, ...(request.origin.also ?? [])];
    this.#enabled = Uint8Array.from(request.compiled.patterns, (pattern) => {
      const allowed = pattern.sources;
      return allowed === "any" || sources.some((source) => allowed.has(source)) ? 1 : 0;
    });
    this.#scanner = new LineScanner(request.automaton, request.texts, (line) => {
      this.#onLine(line);
    });
    const take = (bytes: Buffer): void => {
      this.#wholeBytes += bytes.length;
      if (this.#wholeBytes > longestWrapped) this.#whole = undefined;
      else this.#whole?.push(Buffer.from(bytes));
      this.#scanner.feed(bytes);
      this.#script?.feed(bytes);
      if (isOfLiterals(request.origin)) request.onBytes?.(bytes);
    };
    this.#literals = new BytesLiterals(take, () => this.#scanner.lines);
  }

  /** The log tells of kubeadm init. */
  get isInit(): boolean {
    return this.#marks.isInit;
  }

  get attempt(): AttemptStart | undefined {
    const { attemptLine } = this.#marks;
    return attemptLine === undefined ? undefined : { originIndex: this.#request.originIndex, line: attemptLine };
  }

  feed(chunk: Buffer): void {
    const utf8 = this.#stream.toUtf8(chunk);
    const bytes = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength);
    if (!isOfLiterals(this.origin)) this.#request.onBytes?.(bytes);
    this.#literals.feed(bytes);
  }

  end(): void {
    this.#literals.end();
    this.#lastWords = this.#script?.lastWords(this.#scanner.lines);
    this.#scanner.end();
    for (const [pattern, lines] of this.#pending) for (const line of lines) this.#test([pattern], line);
    this.#pending.clear();
    this.#readJoined();
  }

  /** Once more, where the log is short enough to be read as people read it. */
  #readJoined(): void {
    if (this.#whole === undefined) return;
    const pasted = Buffer.concat(this.#whole).toString("utf8");
    const text = asTyped(pasted);
    this.#whole = undefined;
    this.#speakers = speakersOf(text);
    this.#keptAlone = linesKeptAlone(text);
    const passed = passedOver(text);
    this.#errors.forgetWithin(passed);
    leaveOut(this.#matches, passed);
    const joined = linesToReadAgain(pasted, text).filter(
      ({ from }) => !passed.some((range) => from >= range.from && from <= range.to),
    );
    if (joined.length > 0) this.#matchJoined(joined);
    this.#turned = newestFirst(text, this.#speakers);
    this.#wellLines = settlingLinesOf(textInTime(this.#turned, text));
  }

  /** Again over the lines that a screen had broken, for the patterns that found nothing in their pieces. */
  #matchJoined(joined: readonly JoinedLine[]): void {
    const found = new Set(this.#matches.keys());
    for (const pattern of found) this.#enabled[pattern] = 0;
    this.#errors.forgetWithin(joined.filter(({ certain }) => certain));
    const scanner = new LineScanner(this.#request.automaton, this.#request.texts, (candidate) => {
      const line = joined[candidate.line - 1]?.from ?? candidate.line;
      this.#onLine({ ...candidate, line });
    });
    scanner.feed(Buffer.from(joined.map(({ text }) => text).join("\n"), "utf8"));
    scanner.end();
    for (const pattern of found) this.#enabled[pattern] = 1;
  }

  /** What went well, of a short log. */
  get wellLines(): readonly WellLine[] {
    return this.#wellLines;
  }

  /** By pattern number. */
  matches(): ReadonlyMap<number, OriginMatches> {
    return new Map(
      [...this.#matches].map(([pattern, { count, first, last }]) => {
        const [one, other] = [first, last].map((events) => events.map((event) => this.#toEvent(event)));
        return [pattern, matchesInTime(this.#turned, { count, first: one ?? [], last: other ?? [] })];
      }),
    );
  }

  errorLines(): readonly ErrorLine[] {
    return this.#errors
      .all()
      .map(({ bytes, cut, ...error }) => this.#toErrorLine(error, cutShown.joinLines(show(decodeLine(bytes), cut))));
  }

  /** What the last script said at its end, in the shape of an error: it may have no word of one. */
  lastWords(): ErrorLine | undefined {
    const words = this.#lastWords;
    if (words === undefined) return undefined;
    const { line, text } = words;
    return this.#toErrorLine({ line, weight: 2, firstLine: line, lastLine: line, count: 1 }, cutShown.joinLines(text));
  }

  #toErrorLine(error: Omit<FailingLine, "bytes" | "cut">, whole: ShownText): ErrorLine {
    const { source, origin } = this.origin;
    const { originIndex } = this.#request;
    const logLines = this.#scanner.lines;
    const { lastStart, booted } = this.#marks;
    const speaker = speakerAt(this.#speakers, error.line);
    const next = nextLogAfter(this.#speakers, error.lastLine);
    const endLine = next === undefined ? logLines : next - 1;
    const at = { source, origin, originIndex, logLines, endLine, lastStart, booted };
    const by = speaker !== undefined && { speaker };
    const alone = this.#keptAlone.has(error.line) && { keptAlone: true as const };
    const fileLine = this.#literals.fileLine(error.line);
    const made = { ...at, ...by, ...alone, ...error, fileLine, text: shorten(whole), whole };
    return errorInTime(this.#turned, made);
  }

  #onLine(candidate: CandidateLine): void {
    const { texts, patternsOfText } = this.#request.compiled;
    const firstMark = this.#request.texts - markTexts.length;
    const toTest: number[] = [];
    let builtIn = candidate.hits.length === 0 || beginsLikeError(candidate.bytes, 0);
    for (const text of candidate.hits) {
      if (text >= firstMark) this.#marks.note(markTexts[text - firstMark], candidate.line);
      else if (text >= texts.length) builtIn = true;
      for (const pattern of patternsOfText[text] ?? noPatterns) {
        if (this.#enabled[pattern] === 1 && !toTest.includes(pattern)) toTest.push(pattern);
      }
    }
    if (builtIn) this.#errors.keep(candidate);
    const fresh = toTest.filter((pattern) => (this.#matches.get(pattern)?.count ?? 0) < mostTested);
    if (fresh.length > 0) this.#test(fresh, candidate);
    if (fresh.length < toTest.length) this.#postpone(toTest, candidate);
  }

  #test(patterns: readonly number[], { bytes, line, cut }: RawLine): void {
    const whole = cleanText(decodeLine(bytes));
    // As written first: rules know the quotes of the programs that they read. Then what stands in its literals, line by line.
    const texts = [whole, ...linesInLiteral(whole).map(cleanText)];
    let raw: RawLine | undefined;
    for (const number of patterns) {
      const found = this.#match(number, texts);
      if (found === undefined) continue;
      // One copy for all that match: the caller may use its chunk again.
      raw ??= { bytes: Buffer.from(bytes), line, cut };
      this.#keep(number, { raw, pattern: number, ...found });
    }
  }

  #match(number: number, texts: readonly string[]): Pick<RawEvent, "text" | "groups"> | undefined {
    const pattern = this.#request.compiled.patterns[number];
    if (pattern === undefined) return undefined;
    for (const text of texts) {
      const groups = matchPattern(pattern, text);
      if (groups !== undefined) return { text, groups };
    }
    return undefined;
  }

  #toEvent({ raw, text: found, pattern, groups }: RawEvent): LineEvent {
    const time = lineTime(cleanText(decodeLine(raw.bytes)));
    const { source, origin } = this.origin;
    const { originIndex } = this.#request;
    const whole = show(found, raw.cut);
    const fileLine = this.#literals.fileLine(raw.line);
    const compiled = this.#request.compiled.patterns[pattern];
    const joined = cutShown.joinLines(whole);
    const text = shorten(joined, compiled && placeOfMatch(compiled, joined, keptNear));
    const event = { source, origin, originIndex, line: raw.line, fileLine, text };
    const shown = { ...event, groups: this.#shownGroups(whole, pattern, groups) };
    return time === undefined ? shown : { ...shown, time };
  }

  /** Only what the shown line shows as well: alone, without the words around it, a secret may not be recognised. */
  #shownGroups(
    whole: ShownText,
    number: number,
    groups: Readonly<Record<string, string>>,
  ): Readonly<Record<string, ShownText>> {
    const pattern = this.#request.compiled.patterns[number];
    const visible = Object.values(groups).every((value) => whole.includes(value));
    const found = visible || pattern === undefined ? groups : (matchPattern(pattern, whole) ?? groups);
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, showPartOf(whole, value)]));
  }

  #keep(pattern: number, event: RawEvent): void {
    const matches = this.#matches.get(pattern);
    if (matches === undefined) {
      this.#matches.set(pattern, { count: 1, first: [event], last: [event] });
      return;
    }
    matches.count += 1;
    if (matches.first.length < mostFirst) matches.first.push(event);
    matches.last.push(event);
    if (matches.last.length > mostLast) matches.last.shift();
  }

  /** A message repeated a million times must not cost a million expression runs; only its last lines still matter. */
  #postpone(patterns: readonly number[], { bytes, line, cut }: RawLine): void {
    const copy = { bytes: Buffer.from(bytes), line, cut };
    for (const pattern of patterns) {
      if ((this.#matches.get(pattern)?.count ?? 0) < mostTested) continue;
      const lines = this.#pending.get(pattern) ?? [];
      lines.push(copy);
      if (lines.length > pendingLines) lines.shift();
      this.#pending.set(pattern, lines);
    }
  }
}
