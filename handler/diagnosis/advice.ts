/**
 * A program's own advice on how to learn more, or what it asks the reader to do: never the error itself. Nor is that a minimal
 * system has no modprobe, which units of runtimes call with "ExecStartPre=-", or what Ansible goes on in spite of, where a screen's
 * lines were joined.
 */
const advice =
  /\(modprobe\)\[\d{1,9}\]: \S{1,80}: (?:Executable|Unable to locate executable) |If you know what you are doing, you can make a check non-fatal|Some fatal errors occurred:?$|Unfortunately, an error has occurred|This error is likely caused by|- The kubelet is (?:not running$|unhealthy due to)|you can try to troubleshoot the error|An example how you might list|Additionally, a control plane component may have crashed|journalctl -xe|^Could not unmarshall userdata: invalid character '#'|See "?systemctl status|for details\.?$| \.\.\.ignoring$|^\s*\(exit status \d{1,3}\)$/u;

const stackTraceAdvice = "To see the stack trace of this error";
const longestClothes = 120;

/** kubeadm's advice, behind a time stamp or a journal's prefix at most: with an error in front of it on its line it is that error's. */
export function isStackTraceAdvice(text: string): boolean {
  const at = text.indexOf(stackTraceAdvice);
  return (
    at !== -1 &&
    at <= longestClothes &&
    !/error|invalid|unknown|unable|couldn't|failed|cannot|accepts |required/iu.test(text.slice(0, at))
  );
}

/** What a program advises beside an error: never the error itself. */
export function isAdvice(text: string): boolean {
  return (
    (advice.test(text) || isStackTraceAdvice(text)) &&
    !/\bfailed because\b|\bA dependency job for \S{2,60} failed/u.test(text)
  );
}
