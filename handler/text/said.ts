import { prefixOf } from "./log-prefix.ts";
import { cutShown, ours, type ShownText } from "./shown-text.ts";

/** Fewer characters of an error tell nothing: such a quotation is left out. */
export const leastFact = 24;

const oneWord = /^(?:Killed|Terminated|Aborted|Hangup)[.!]?$/u;
const plainWord = /^["'([]{0,2}\p{L}[\p{L}'-]{1,24}["')\].,:;!?…]{0,3}$/u;
/** Of writings that put no blank between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{2}/u;

/** Whether a line says something in words: a value that stands alone may be a secret, which nothing on its line gives away. */
export function hasWords(line: string): boolean {
  const text = line.trim();
  if (oneWord.test(text) || unspaced.test(text)) return true;
  return text.split(/\s+/u).filter((word) => plainWord.test(word)).length >= 2;
}

/** The words of a log line without what logs and loggers put in front of them. */
export function saidAlone(line: ShownText): ShownText {
  const plain = cutShown.from(line, prefixOf(line).length);
  const record = /^(?:time="?[^" ]{1,40}"? )?level=\w{4,8} (?:\w{1,20}=\S{1,80} ){0,4}?msg=/u.exec(plain)?.[0] ?? "";
  const said = cutShown.from(plain, record.length);
  const time = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)?\]?:? ?/u.exec(said)?.[0] ?? "";
  return cutShown.from(said, time.length);
}

/** Behind what a sentence passes on: the reason of what stands before it. The name of an error of the system belongs to its words. */
const behind = /(?<!\bE[A-Z]{2,14}): "?(?=\S)|="\b/gu;
/** What a program tells its reader to do is none of its error. */
const advice = /(?:[.;] |, )(?:[Pp]lease|See|see|For more|You can|Try|To see)\b/u;

/**
 * At most `room` characters of what a program said, its innermost error among them: first the clothes of its log go, then its advice,
 * then what stands between its beginning and the reason.
 */
export function keepFact(text: ShownText, room: number): ShownText {
  if (text.length <= room) return text;
  const plain = withoutAdvice(saidAlone(text), room);
  if (plain.length <= room) return plain;
  const starts = [...plain.matchAll(behind)].map(({ index, 0: sign }) => index + sign.length);
  const fitting = starts.find((start) => plain.length - start < room);
  if (fitting !== undefined && plain.length - fitting >= leastFact)
    return withBeginning(plain, fitting, { room, first: starts[0] });
  const innermost = starts.findLast((start) => plain.length - start >= leastFact) ?? 0;
  const statement = cutShown.from(plain, innermost);
  return innermost === 0 ? bothEnds(statement, room) : ours`…${bothEnds(statement, room - 1)}`;
}

/** A cut between words may leave next to nothing of long paths and names: then the end alone, which is the reason. */
function bothEnds(statement: ShownText, room: number): ShownText {
  const kept = cutShown.middle(statement, room);
  return kept.length * 3 < room * 2 ? ours`…${cutShown.tail(statement, room - 1)}` : kept;
}

function withoutAdvice(text: ShownText, room: number): ShownText {
  if (text.length <= room) return text;
  const end = text.search(advice);
  return end < leastFact ? text : cutShown.head(text, end);
}

/** Fewer characters of the beginning say nothing. */
const leastBeginning = 16;

/** Which step it was stands at the beginning, where there is room for it. */
function withBeginning(
  text: ShownText,
  reason: number,
  { room, first = 0 }: { readonly room: number; readonly first: number | undefined },
): ShownText {
  const end = cutShown.from(text, reason);
  const said = end.startsWith("… ") ? cutShown.from(end, 2) : end;
  const left = room - said.length - 2;
  if (first < reason && first <= left) return ours`${cutShown.head(text, first)}… ${said}`;
  return left < leastBeginning ? ours`…${said}` : ours`${cutShown.atWord(text, left)} ${said}`;
}

/** A sentence of ours that passes on what somebody said. */
export interface Quotation {
  /** Up to the quotation, its opening mark too. */
  readonly frame: ShownText;
  readonly said: ShownText;
  /** The closing mark. */
  readonly close: ShownText;
  /** The sentence is no more than an introduction to who speaks, and may be left out. */
  readonly isSpoken: boolean;
}

const spoken = /^.{0,200}?\b(?:says|said|last error|last words):? "?(?=\S)/u;
const told = /^[^:"]{8,100}: (?=\S)/u;

/** The parts of a sentence that ends in what somebody said, or in details behind a colon. */
export function quotationOf(sentence: ShownText): Quotation | undefined {
  const frame = (spoken.exec(sentence) ?? told.exec(sentence))?.[0];
  if (frame === undefined) return undefined;
  const isQuoted = frame.endsWith('"') && sentence.endsWith('"');
  const end = sentence.length - (isQuoted ? 1 : 0);
  return {
    frame: cutShown.head(sentence, frame.length),
    said: cutShown.from(cutShown.head(sentence, end), frame.length),
    close: isQuoted ? ours`"` : ours``,
    isSpoken: spoken.test(sentence),
  };
}

const deadline = /^deadline reached; /u;

/** Who speaks, without what stands before; that the deadline was reached stays, as whoever reads the line goes by it. */
export function shortFrame({ frame, isSpoken }: Quotation): ShownText {
  if (!isSpoken) return frame;
  const late = deadline.exec(frame)?.[0].length ?? 0;
  const who = /[^;,]*$/u.exec(frame)?.[0].trimStart() ?? "";
  const name = who.replace(/^(?:and )?(?:\S*\/)?(?=\S)/u, "");
  return ours`${cutShown.head(frame, Math.min(late, frame.length - who.length))}${cutShown.tail(frame, name.length)}`;
}

/** What the sentence says by itself, before who speaks. */
export function beforeSpeaker({ frame }: Quotation): ShownText {
  return cutShown.head(frame, Math.max(0, frame.search(/[;,][^;,]*$/u)));
}
