/**
 * The mark of a comment before a line of a log, where somebody pasted the log into a script or a note: what stands behind it is
 * a time, a level or a unit, and no command that a prompt of the same sign would have before it.
 */
export const commentMark =
  /^(?:#{1,2} ){0,2}#{1,2} ?(?=\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d|[IWEF]\d{4} \d\d:|time="?\d|level=[a-z]|\[ *\d{1,8}\.\d{6}\]|\{"|[EW]: |(?:Err|Ign) ?:\d| {1,4}(?:\d{3} {2}[A-Z]|Connection (?:timed out|failed)|Could not |Temporary failure |Cannot initiate )|● |[\w@.-]{2,80}\.service - | {2,12}(?:Loaded|Active|Main PID|Process): | {4}[a-z][\w-]{1,40}: \S)/u;

/** Vagrant and Packer put the machine's name before each line of a provisioner, Terraform and Puppet the resource's, Compose the container's, and the runtime's log its stream. */
const toolPrefix =
  /^(?:(?: {4}|==> )[a-z][\w-]{1,40}(?:(?<=-[a-z]{2,12}|qemu|docker)\.[\w-]{1,40})?: |(?:\d{1,3}(?:\.\d{1,3}){3}: )?\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) std(?:err|out) [FP] |[\w.[\]"-]{3,120} \((?:remote|local)-exec\): |(?:INFO|WARN|ERRO)\[\d{4}\] \[cloud-init\] |[A-Z][a-z]{3,8}: \/Stage\[[^\n]{2,250}\]\/returns: |(?:\d\d:\d\d:\d\d )?[\w.-]{2,60} {1,12}\| {1,2}(?:(?<=[-_]\d{1,3} {1,12}\| {1,2})|(?=\d{4}[-/]|time=|\{)))(?=\S)/u;

/** The line as its program wrote it, without what whoever showed it put in front. */
export function withoutMark(line: string): string {
  return line.replace(commentMark, "").replace(toolPrefix, "");
}
