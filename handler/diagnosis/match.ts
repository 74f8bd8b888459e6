import { markTexts } from "./marks.ts";
import { buildAutomaton, type Automaton } from "../text/automaton.ts";
import { compileRules, type CompiledRule, type CompiledRules } from "./compile-rules.ts";
import type { ErrorLine } from "./error-lines.ts";
import { errorTexts } from "./error-texts.ts";
import type { RuleSet } from "./load-rules.ts";
import type { AttemptStart, LogOrigin, OriginMatches } from "./line-event.ts";
import { OpenLog } from "./open-log.ts";
import type { WellLine } from "./went-well.ts";

export interface Matches {
  readonly rules: readonly CompiledRule[];
  /** By pattern number, one entry per log with a match. */
  readonly byPattern: readonly (readonly OriginMatches[])[];
  readonly errorLines: readonly ErrorLine[];
  /** What the scripts of a log said last, whatever its form; one for each log into which scripts print. */
  readonly lastWords: readonly ErrorLine[];
  readonly attempts: readonly AttemptStart[];
  /** Numbers of the logs that tell of kubeadm init: what fails there did not fail in a join. */
  readonly inits: ReadonlySet<number>;
  /** By the number of the log. */
  readonly wellLines: ReadonlyMap<number, readonly WellLine[]>;
}

export interface Matcher {
  /** Feeds the next bytes of a log; a new origin ends the one before. The chunk may be used again afterwards. */
  feed(origin: LogOrigin, chunk: Uint8Array): void;
  endSource(): void;
  finish(): Matches;
}

interface MatchOptions {
  readonly platform: "linux" | "windows";
  /** Takes each log as people read it: decoded, cloudbase-init's literals as lines. The bytes may be used again afterwards. */
  readonly onBytes?: OnBytes;
}

type OnBytes = (origin: LogOrigin, bytes: Buffer) => void;

export function createMatcher(ruleSet: RuleSet, { platform, onBytes }: MatchOptions): Matcher {
  return new LogMatcher(prepare(ruleSet, platform), onBytes);
}

interface Prepared {
  readonly compiled: CompiledRules;
  readonly automaton: Automaton;
  readonly texts: number;
}

const prepared = { linux: new WeakMap<RuleSet, Prepared>(), windows: new WeakMap<RuleSet, Prepared>() } as const;

/** Once for a set of rules, however many logs are read with it. */
function prepare(ruleSet: RuleSet, platform: "linux" | "windows"): Prepared {
  const known = prepared[platform].get(ruleSet);
  if (known !== undefined) return known;
  const compiled = compileRules(ruleSet, platform);
  const texts = [...compiled.texts, ...errorTexts, ...markTexts];
  const made = { compiled, automaton: buildAutomaton(texts), texts: texts.length };
  prepared[platform].set(ruleSet, made);
  return made;
}

class LogMatcher implements Matcher {
  readonly #compiled: CompiledRules;
  readonly #automaton: Automaton;
  readonly #texts: number;
  readonly #onBytes: OnBytes | undefined;
  readonly #byPattern: OriginMatches[][];
  readonly #errorLines: ErrorLine[] = [];
  readonly #lastWords: ErrorLine[] = [];
  readonly #attempts: AttemptStart[] = [];
  readonly #inits = new Set<number>();
  readonly #wellLines = new Map<number, readonly WellLine[]>();
  #log: OpenLog | undefined;
  #logs = 0;

  constructor({ compiled, automaton, texts }: Prepared, onBytes: OnBytes | undefined) {
    this.#onBytes = onBytes;
    this.#compiled = compiled;
    this.#automaton = automaton;
    this.#texts = texts;
    this.#byPattern = compiled.patterns.map(() => []);
  }

  feed(origin: LogOrigin, chunk: Uint8Array): void {
    if (this.#log?.origin.origin !== origin.origin || this.#log.origin.source !== origin.source) {
      this.endSource();
      this.#open(origin);
    }
    this.#log?.feed(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }

  endSource(): void {
    const log = this.#log;
    if (log === undefined) return;
    log.end();
    for (const [pattern, matches] of log.matches()) this.#byPattern[pattern]?.push(matches);
    // Our own probes speak of themselves: rules read them, and they are quoted apart.
    if (log.origin.source !== "probe") this.#errorLines.push(...log.errorLines());
    const lastWords = log.lastWords();
    if (lastWords !== undefined) this.#lastWords.push(lastWords);
    if (log.attempt !== undefined) this.#attempts.push(log.attempt);
    if (log.isInit) this.#inits.add(this.#logs - 1);
    if (log.wellLines.length > 0) this.#wellLines.set(this.#logs - 1, log.wellLines);
    this.#log = undefined;
  }

  finish(): Matches {
    this.endSource();
    return {
      rules: this.#compiled.rules,
      byPattern: this.#byPattern,
      errorLines: this.#errorLines,
      lastWords: this.#lastWords,
      attempts: this.#attempts,
      inits: this.#inits,
      wellLines: this.#wellLines,
    };
  }

  #open(origin: LogOrigin): void {
    const take = this.#onBytes;
    this.#log = new OpenLog({
      onBytes:
        take === undefined
          ? undefined
          : (bytes) => {
              take(origin, bytes);
            },
      origin,
      originIndex: this.#logs++,
      compiled: this.#compiled,
      automaton: this.#automaton,
      texts: this.#texts,
    });
  }
}
