import type { KubeadmCommand } from "../../scripts/check/questions.ts";

/** What runs on a machine: a script that says after how many milliseconds it goes on. */
export type Script = Generator<number, void>;

export class Activity {
  readonly name: string;
  readonly script: Script;
  wakeMs: number;
  /** True as long as this activity may still make the machine a node, whatever its outcome will be. */
  mayBecomeNode: boolean;

  constructor(parts: Pick<Activity, "name" | "mayBecomeNode" | "wakeMs">, script: (self: Activity) => Script) {
    this.name = parts.name;
    this.mayBecomeNode = parts.mayBecomeNode;
    this.wakeMs = parts.wakeMs;
    this.script = script(this);
  }
}

export interface Process {
  readonly name: string;
  /** Of a kubeadm: what it was told to do. */
  readonly command?: KubeadmCommand;
  /** In a container. */
  readonly elsewhere?: boolean;
  /** Nothing on the machine waits for it, and it never ends by itself. */
  readonly stray?: boolean;
  readonly unit: string;
  readonly sinceMs: number;
}
