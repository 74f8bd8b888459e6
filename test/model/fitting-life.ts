import type { Image, Life } from "./history.ts";

/** What the image and the disk allow: drawn parts that would contradict each other give way. */
export function fittingLife(image: Image, life: Life, donor?: Life): Life {
  const kept =
    donor === undefined || donor.provider === "kubeadm"
      ? life
      : { ...life, provider: donor.provider, role: donor.role };
  const possible =
    donor?.provider === "kubeadm" && life.provider === "kubeadm-ignition"
      ? { ...kept, provider: "kubeadm" as const }
      : kept;
  // Who clones nodes with one identity for all gives them no bootstrap data.
  if (image.sharedIdentity && !["none", "empty", "comment-only"].includes(life.userData))
    return { ...possible, userData: "empty" };
  // Data for Ignition is a provider's, or it is not there: nobody writes such by hand in this model.
  if (possible.provider === "kubeadm-ignition")
    return {
      ...possible,
      userData: donor !== undefined || !["none", "empty"].includes(life.userData) ? "provider" : "none",
    };
  return possible;
}
