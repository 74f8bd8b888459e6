import { buildAutomaton, type Automaton } from "./automaton.ts";
import { compileRules, type CompiledRule, type CompiledRules } from "./compile-rules.ts";
import { errorTexts, type ErrorLine } from "./error-lines.ts";
import type { RuleSet } from "./load-rules.ts";
import { markTexts, OpenLog, type AttemptStart, type LogOrigin, type OriginMatches } from "./open-log.ts";

export interface Matches {
  readonly rules: readonly CompiledRule[];
  /** By pattern number, one entry per log with a match. */
  readonly byPattern: readonly (readonly OriginMatches[])[];
  readonly errorLines: readonly ErrorLine[];
  readonly attempts: readonly AttemptStart[];
}

export interface Matcher {
  /** Feeds the next bytes of a log; a new origin ends the one before. The chunk may be used again afterwards. */
  feed(origin: LogOrigin, chunk: Uint8Array): void;
  endSource(): void;
  finish(): Matches;
}

export function createMatcher(ruleSet: RuleSet, options: { readonly platform: "linux" | "windows" }): Matcher {
  return new LogMatcher(compileRules(ruleSet, options.platform));
}

class LogMatcher implements Matcher {
  readonly #compiled: CompiledRules;
  readonly #automaton: Automaton;
  readonly #texts: number;
  readonly #byPattern: OriginMatches[][];
  readonly #errorLines: ErrorLine[] = [];
  readonly #attempts: AttemptStart[] = [];
  #log: OpenLog | undefined;
  #logs = 0;

  constructor(compiled: CompiledRules) {
    const texts = [...compiled.texts, ...errorTexts, ...markTexts];
    this.#compiled = compiled;
    this.#automaton = buildAutomaton(texts);
    this.#texts = texts.length;
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
    this.#errorLines.push(...log.errorLines());
    if (log.attempt !== undefined) this.#attempts.push(log.attempt);
    this.#log = undefined;
  }

  finish(): Matches {
    this.endSource();
    return {
      rules: this.#compiled.rules,
      byPattern: this.#byPattern,
      errorLines: this.#errorLines,
      attempts: this.#attempts,
    };
  }

  #open(origin: LogOrigin): void {
    this.#log = new OpenLog({
      origin,
      originIndex: this.#logs++,
      compiled: this.#compiled,
      automaton: this.#automaton,
      texts: this.#texts,
    });
  }
}
