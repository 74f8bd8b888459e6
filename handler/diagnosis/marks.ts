/** kubeadm init, join and reset print it once per run. */
export const attemptText = "running pre-flight checks";
/** kubeadm init prints them, at its beginning and at its end; join does not. */
export const initTexts: readonly string[] = ["[init] using kubernetes version", "initialize a kubernetes cluster"];
export const restartText = "restart counter is at";
/** The first boot went on to the real system: Ignition had done its work. */
export const bootedTexts: readonly string[] = ["switching root", "azure linux agent version"];
/** Lines of which only the place is noted: a new attempt, a daemon that was started, one that is started over and over. */
export const markTexts = [
  attemptText,
  ...initTexts,
  restartText,
  "started kubelet",
  "started containerd",
  "started lightweight kubernetes",
  "started rancher",
  ...bootedTexts,
] as const;
