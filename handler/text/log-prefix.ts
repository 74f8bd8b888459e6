const host = String.raw`(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30}) [\w.-]{1,64} |\[[ \d]{1,8}\.\d{1,6}\] `;
const time = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3,9}`;
/** A module that is named for what it sets says what stands behind it. */
const unsaid = String.raw`(?!\S{0,48}(?:pass|secret|token|key|cred))`;
const program = String.raw`${unsaid}[\w.-]{1,48}\[\d{1,10}\]: `;
/** What a log writes before each line, so that what a program printed is read as it was: the time, the host, the program. */
const logPrefix = new RegExp(
  `^\\t?(?:${[
    `(?:${host})?${program}`,
    // containerd, a time in brackets
    String.raw`\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30} std(?:out|err) [FP] `,
    String.raw`\[\d{4}-\d\d-\d\d[T ][\d:.+Z-]{8,18}\] `,
    // cloud-init, cloudbase-init, klog, the guest agent
    String.raw`${time} - ${unsaid}[\w.-]{1,64}\[[A-Z]{4,8}\]: `,
    String.raw`${time} \d{1,10} [A-Z]{4,8} [\w.]{1,100} \[-\] `,
    String.raw`[EWIF]\d{4} \d\d:\d\d:\d\d\.\d{6}\s{1,8}\d{1,10} [\w.-]{1,64}:\d{1,5}\] `,
    String.raw`${time}Z? (?:INFO|WARNING|ERROR|VERBOSE) [\w.-]{1,60} (?:[\w.-]{1,60} )?(?:\[[\w.-]{1,100}\] )?`,
    // a shell's trace, a quotation
    String.raw`\+{1,4} (?=\S)|> `,
    // a text whose lines were numbered; Packer, Terraform, Compose
    String.raw`\s{0,6}\d{1,5}(?:: |\t|\| )`,
    `==> ${unsaid}[a-z][\\w.-]{1,60}: `,
    String.raw`[\w.[\]"-]{3,120} \((?:remote|local)-exec\): `,
    `${unsaid}[\\w.-]{1,50}[-_]\\d{1,3} {1,12}\\| `,
  ].join("|")})`,
);

/** One that shows another's log puts its own in front. */
const mostPrefixes = 3;

/** What a shell puts before the words of its own. */
const ownMark = /\+{1,4} $/;

/** What a log puts before what a program printed: a shell's trace keeps its mark. */
export function logPrefixOf(line: string): string {
  return prefixOf(line).replace(ownMark, "");
}

/** What stands before the words of a line. */
export function prefixOf(line: string): string {
  let end = 0;
  for (let at = 0; at < mostPrefixes; at += 1) {
    const length = logPrefix.exec(line.slice(end))?.[0].length ?? 0;
    if (length === 0) break;
    end += length;
  }
  return line.slice(0, end);
}
