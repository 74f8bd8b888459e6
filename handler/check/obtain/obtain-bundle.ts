import { join } from "node:path";
import { HandlerError, toHandlerError } from "../../errors/handler-error.ts";
import { verifyUndamaged, type Bundle } from "./bundle.ts";
import { cacheBundle, cachedSources } from "./bundle-cache.ts";
import { compareVersions } from "./compare-versions.ts";
import { bundleSources, type BundleSource } from "./download-bundle.ts";
import type { Obtain } from "./obtain-request.ts";
import type { CheckEntry, ObtainedCheck } from "../obtained-check.ts";
import { placeBundle } from "./place-bundle.ts";
import { readBundle, readFromFolder } from "./read-bundle.ts";
import { fractionOf } from "../../transfer/retry-delay.ts";
import { needsSignature, noSignatureCounts, readTrustedKeys, verifyTrust, type Trust } from "./trust.ts";
import { useProxy } from "../../transfer/use-proxy.ts";
import { entryName, requireFit, scriptProtocol } from "./bundle-fit.ts";

type BundleCheck = Extract<ObtainedCheck, { kind: "bundle" }>;
type Origin = BundleCheck["origin"];

interface Found {
  readonly bundle: Bundle;
  readonly origin: Origin;
  readonly signature?: Buffer;
}

const shareOfDeadline = 0.25;
const longestShareMs = 120_000;
const longestStartDelayMs = 3000;

/** The check bundle of the settings: embedded, cached or downloaded; the embedded one and a warning if the wanted one cannot be had. */
export async function obtainBundle(request: Obtain<"bundle">): Promise<BundleCheck> {
  const embedded = await readEmbedded(request.host.programFolder);
  const { check } = request.settings;
  if (isWanted(embedded, check)) return await place(request, { bundle: embedded, origin: "embedded" }, []);
  try {
    const found = await findWanted(request);
    return await place(request, found, downgradeWarnings(found.bundle, embedded));
  } catch (thrown) {
    const error = toHandlerError(thrown);
    if (check.required || error.id === "interrupted" || error.id === "stateUnwritable") throw error;
    const used = `The check bundle ${embedded.manifest.version} of the package is used instead`;
    return await place(request, { bundle: embedded, origin: "embedded" }, [`${error.message}. ${used}`]);
  }
}

async function readEmbedded(programFolder: string): Promise<Bundle> {
  const folder = join(programFolder, "bundle");
  // It came with the package, which the guest agent has verified; only the disk can have damaged it since.
  return await readBundle(readFromFolder(folder), "the package", () => Promise.resolve(), verifyUndamaged);
}

function isWanted(
  bundle: Bundle,
  check: { readonly version: string | undefined; readonly sha256: string | undefined },
): boolean {
  const versionFits = check.version === undefined || check.version === bundle.manifest.version;
  return versionFits && (check.sha256 === undefined || check.sha256 === bundle.digest);
}

async function findWanted(request: Obtain<"bundle">): Promise<Found> {
  const { host, settings, deadline } = request;
  const trust = { sha256: settings.check.sha256, keys: await readTrustedKeys(host.programFolder) };
  if (needsSignature(trust) && trust.keys.length === 0) throw noSignatureCounts(settings.check.version);
  const cache = join(host.platform.paths(host.root).state, "bundles");
  for (const source of await cachedSources(cache, trust.sha256)) {
    const found = await readSource(request, { source, trust, origin: "cached" }).catch(() => undefined);
    if (found !== undefined) return found;
  }
  const startedAt = host.monotonicMs();
  const shareMs = Math.min(deadline.remainingMs() * shareOfDeadline, longestShareMs);
  const leftMs = () => shareMs - (host.monotonicMs() - startedAt);
  // A scale set starts hundreds of machines in the same second; each asks a little later than the other.
  await host.sleep(fractionOf(request.identity.vmId) * Math.min(longestStartDelayMs, shareMs / 20), request.signal);
  const restoreProxy = useProxy(settings.proxy, host.env);
  try {
    const found = await tryInOrder(request, bundleSources(request, leftMs), trust);
    await cacheBundle(cache, found.bundle, found.signature);
    return found;
  } finally {
    restoreProxy();
  }
}

async function tryInOrder(request: Obtain<"bundle">, sources: readonly BundleSource[], trust: Trust): Promise<Found> {
  const failures: HandlerError[] = [];
  for (const source of sources) {
    try {
      return await readSource(request, { source, trust, origin: "downloaded" });
    } catch (thrown) {
      const error = toHandlerError(thrown);
      if (error.id === "interrupted" || error.id === "internal") throw error;
      failures.push(error);
    }
  }
  throw joinFailures(request, failures);
}

/** The gravest reason gives the code: a bundle that was altered matters more than a mirror that was down. */
function joinFailures(request: Obtain<"bundle">, failures: readonly HandlerError[]): HandlerError {
  const { version, sha256 } = request.settings.check;
  const wanted = version ?? `with the SHA-256 ${sha256 ?? ""}`;
  const grave = ["checkUntrusted", "checkIncompatible"] as const;
  const id = grave.find((candidate) => failures.some((failure) => failure.id === candidate)) ?? "checkUnavailable";
  const reasons = failures.map((failure) => failure.message).join("; ");
  const none = "no base URI is left for it: set checkVersion, or checkBaseUris without {version}";
  return new HandlerError(id, `The check bundle ${wanted} cannot be had: ${reasons === "" ? none : reasons}`);
}

async function readSource(
  request: Obtain<"bundle">,
  { source, trust, origin }: { readonly source: BundleSource; readonly trust: Trust; readonly origin: Origin },
): Promise<Found> {
  let signature: Buffer | undefined;
  const bundle = await readBundle(source.read, source.description, async (manifest) => {
    signature = needsSignature(trust) ? await source.read("bundle.json.sig", 4096) : undefined;
    verifyTrust(manifest, signature, { trust, source: source.description });
    requireFit(manifest, request, source.description);
  });
  return { bundle, origin, ...(signature === undefined ? {} : { signature }) };
}

function downgradeWarnings(bundle: Bundle, embedded: Bundle): readonly string[] {
  const [used, own] = [bundle.manifest.version, embedded.manifest.version];
  if (compareVersions(used, own) >= 0) return [];
  return [`checkVersion asks for the check bundle ${used}, which is older than ${own} in the package`];
}

async function place(request: Obtain<"bundle">, found: Found, warnings: readonly string[]): Promise<BundleCheck> {
  const { folder, remarks } = await folderFor(request, found);
  return {
    kind: "bundle",
    entry: entryOf(folder, found.bundle.manifest.protocol, request),
    rules: join(folder, "rules.json"),
    version: found.bundle.manifest.version,
    origin: found.origin,
    warnings: [...warnings, ...remarks],
  };
}

/** Which file looks at the node follows from the protocol that bundle.json names. */
function entryOf(folder: string, protocol: number, { host }: Obtain<"bundle">): CheckEntry {
  const path = join(folder, entryName(protocol, host));
  return protocol === scriptProtocol ? { kind: "script", path } : { kind: "program", path };
}

/** On a full disk the package's own copy, which only root can write, runs from where it lies: a healthy node must not fail for that. */
async function folderFor(
  { host, workFolder }: Obtain<"bundle">,
  { bundle, origin }: Found,
): Promise<{ readonly folder: string; readonly remarks: readonly string[] }> {
  try {
    return { folder: await placeBundle(bundle, workFolder), remarks: [] };
  } catch (thrown) {
    if (origin !== "embedded") throw thrown;
    const remark = `${toHandlerError(thrown).message}. The check runs from the package's folder`;
    return { folder: join(host.programFolder, "bundle"), remarks: [remark] };
  }
}
