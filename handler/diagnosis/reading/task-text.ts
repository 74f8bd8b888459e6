/** Checks that kubeadm goes past, as a task quotes them. */
const passedChecks = /\[WARNING [^\]]{1,80}\]: .{1,600}?(?=\\[nrt]|$)/gu;

/**
 * What Ansible tells of a task that ended badly: what it asked for where that is an address, the module's own message, the
 * server's answer, and what the command wrote to its standard error.
 */
export function taskText(rest: string): { readonly text: string; readonly severity: "end" } | undefined {
  const json = /^(?:fatal|failed): \[[^\]]{1,80}\].{0,200}? => (?<json>\{.+)$/u.exec(rest)?.groups?.["json"];
  if (json === undefined) return undefined;
  const field = (name: string): string =>
    new RegExp(`"${name}": ?"(?<value>(?:[^"\\\\]|\\\\.){1,1200})`, "u").exec(json)?.groups?.["value"] ?? "";
  // What `timeout` gives back for the command that it ended.
  const ended = /"rc": ?124\b/u.test(json) ? `: ${/\bkubeadm\b/u.test(json) ? "kubeadm " : ""}timed out` : "";
  const url = field("url");
  const isDownload = /"dest": ?"/u.test(json);
  const asked = url === "" || field("msg").includes(url) ? "" : `${isDownload ? "download: " : ""}Get "${url}": `;
  const answer = asked === "" ? "" : field("response");
  const refused = refusedOf(json, field("assertion"));
  const said = [field("msg"), refused, answer, printedBy(field).replaceAll(passedChecks, "")].filter(
    (part) => part !== "",
  );
  const text = `${asked}${said.join(": ")}${ended}`.trim();
  return text === "" ? undefined : { text, severity: "end" };
}

/** Some tools complain to their standard output alone. */
function printedBy(field: (name: string) => string): string {
  return [field("stderr"), field("stdout")].find((part) => part !== "") ?? "";
}

/** What a play asks of the machine before it touches it. */
function refusedOf(json: string, assertion: string): string {
  const isOfMachine =
    /^ansible_(?:distribution|os_family|memtotal|memory|processor|swaptotal|kernel)|^kube_version\b/u.test(assertion);
  return isOfMachine && /"evaluated_to": ?false\b/u.test(json) ? `${assertion}: not supported` : "";
}
