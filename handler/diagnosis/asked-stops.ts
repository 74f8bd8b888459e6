import type { LineRange } from "./unwrap.ts";

/** Lines within which a unit that is stopped has stopped, and behind which systemd still tells how. */
const longestStop = 40;
const linesOfEnd = 3;

const stopping = /systemd(?:\[\d{1,8}\])?: Stopping (?<what>.{2,120}?)\.{3}\s*$/u;
const ended =
  /systemd(?:\[\d{1,8}\])?: (?:Unit )?(?<name>[\w@-]{2,60})\.service(?:: (?:main process exited|Failed with result|Unit entered failed state)| entered failed state| failed)/iu;

/** How units ended that somebody stopped, as kubeadm does with the kubelet: what they made of it says nothing of the node. */
export function rangesOfAskedStops(text: string): readonly LineRange[] {
  if (!text.includes(": Stopping ")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const what = stopping.exec(line)?.groups?.["what"]?.toLowerCase();
    if (what === undefined) return [];
    const behind = lines.slice(at + 1, at + 1 + longestStop);
    const stopped = behind.findIndex(
      (one) => one.includes(": Stopped ") && one.toLowerCase().includes(`stopped ${what}`),
    );
    return behind.slice(0, stopped + 1 + linesOfEnd).flatMap((one, index) => {
      const name = ended.exec(one)?.groups?.["name"]?.toLowerCase();
      const isOf = stopped !== -1 && name !== undefined && what.includes(name);
      return isOf ? [{ from: at + 2 + index, to: at + 2 + index }] : [];
    });
  });
}
