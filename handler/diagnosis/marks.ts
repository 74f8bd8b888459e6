/** kubeadm init, join and reset print it once per run. */
const attemptText = "running pre-flight checks";
/** kubeadm init prints them, at its beginning and at its end; join does not. */
const initTexts: readonly string[] = ["[init] using kubernetes version", "initialize a kubernetes cluster"];
const restartText = "restart counter is at";
const startedTexts: readonly string[] = [
  "started kubelet",
  "started containerd",
  "started lightweight kubernetes",
  "started rancher",
  "active: active (running)",
  "done configuring cni",
];
/** The first boot went on to the real system: Ignition had done its work. */
const bootedTexts: readonly string[] = ["switching root", "azure linux agent version"];
/** Lines of which only the place is noted: a new attempt, a daemon that was started, one that is started over and over. */
export const markTexts = [attemptText, ...initTexts, restartText, ...startedTexts, ...bootedTexts] as const;

/** Where the marks of one log stand. */
export class LogMarks {
  /** The last line of each. */
  readonly #lines = new Map<string, number>();

  note(mark: string | undefined, line: number): void {
    if (mark !== undefined) this.#lines.set(mark, line);
  }

  /** The last line in which a run of kubeadm begins. */
  get attemptLine(): number | undefined {
    return this.#lines.get(attemptText);
  }

  get isInit(): boolean {
    return initTexts.some((text) => this.#lines.has(text));
  }

  /** The line in which a daemon was last started, where systemd does not start it over and over; else 0. */
  get lastStart(): number {
    if (this.#lines.has(restartText)) return 0;
    return Math.max(0, ...startedTexts.map((text) => this.#lines.get(text) ?? 0));
  }

  /** The line in which the real system was booted; else 0. */
  get booted(): number {
    return Math.max(0, ...bootedTexts.map((text) => this.#lines.get(text) ?? 0));
  }
}
