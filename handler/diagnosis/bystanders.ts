/** A line of the journal or of the syslog: the time, the machine, and who speaks; not a level in the machine's place. */
const dated =
  /^(?:[A-Z][a-z]{2} {1,2}\d{1,2} [\d:.]{8,15}|\d{4}-\d\d-\d\dT\S{8,40}) (?!(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) )\S{1,253} (?<tag>[^ :]{1,120}): /u;

/** Services of the host that no node waits for: desktops, web servers, mail, other agents of a cloud. */
const bystanders =
  /^(?:amazon-ssm-agent.*|cfn-hup|sshd.*|sudo|su|CRON|crond?|anacron|polkitd|rsyslogd|postfix.*|dbus-(?:daemon|broker).*|(?:gnome|gdm|gsd|xdg|at-spi)-.*|plasmashell|kded\d|kwin.*|pulseaudio|pipewire.*|wireplumber|apachectl|apache2|httpd|nginx|mysqld|mariadbd|postgres|dracut|auditd|ModemManager|avahi-daemon|cups.*|bluetoothd|fwupd|thermald|irqbalance|accounts-daemon|rtkit-daemon|systemd-xdg-autostart-generator)$/u;

/** By whom a line is, without the path of its program and the process. */
export function tagOf(text: string): string {
  const word = dated.exec(text)?.groups?.["tag"] ?? "";
  return word.slice(word.lastIndexOf("/") + 1).replace(/\[\d{1,8}\]$/u, "");
}

/** What a shell traces, and what sudo and the audit daemon keep: the names of what it is about, and not what came of it. */
function isCommandLine(text: string): boolean {
  if (/^\++ (?:exec|echo) /u.test(text)) return true;
  if (/^type=(?!AVC|USER_AVC|SELINUX_ERR)[A-Z_\d]{3,30} msg=audit\(/u.test(text)) return true;
  return text.includes("sudo") && text.includes(" ; COMMAND=");
}

/** Denials that a snap's own confinement is made of; MicroK8s and Canonical Kubernetes are nodes. */
function isOfConfinement(text: string): boolean {
  if (!text.includes('apparmor="DENIED"')) return false;
  const profile = /\bprofile="(?<profile>[^"]{1,200})"/u.exec(text)?.groups?.["profile"] ?? "";
  return /^\/(?:snap\/snapd|usr\/lib\/snapd)\/|^ubuntu_pro_|^snap(?:-update-ns)?\.(?!microk8s|k8s)/u.test(profile);
}

/** Whether somebody speaks who has no part in the bootstrap, or a line keeps what was typed. */
export function isBystander(text: string): boolean {
  return bystanders.test(tagOf(text)) || isCommandLine(text) || isOfConfinement(text);
}
