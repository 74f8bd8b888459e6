/** A check's own stage name ("cloud-init-final") as words ("cloud-init final"). */
export function checkStageInWords(stage: string): string {
  const words = stage.replaceAll(/[-_]+/gu, " ").trim();
  return words.replaceAll(/\b(cloud|cloudbase) init\b/gu, "$1-init");
}
