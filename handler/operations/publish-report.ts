import type { Settings } from "../settings/settings.ts";
import type { Run } from "./run.ts";
import type { Verdict } from "./verdict.ts";
export async function publishReport(_: { readonly run: Run; readonly verdict: Verdict; readonly settings: Settings | undefined }): Promise<void> {}
