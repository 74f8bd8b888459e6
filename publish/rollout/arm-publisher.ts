import type { TokenCredential } from "@azure/identity";
import type { ExtensionDefinition } from "../extension-definition.ts";
import { listOf, member, textOr } from "../json-value.ts";
import { errorText, PublishError } from "../publish-error.ts";
import type { CloudPlan } from "./plan.ts";
import {
  failedReplication,
  type PublishedVersion,
  type Publisher,
  type Replication,
  type VersionChange,
} from "./publisher.ts";
import { describeAnswer, type HttpAnswer, type HttpRequest, type Transport } from "./send-request.ts";

/** The version that public templates use; Az PowerShell of 2026 speaks 2026-03-03 with the same members. */
const apiVersion = "2019-12-01";
const shaTag = "capz-sha256";
const startedTag = "capz-stage-started";
const heldTag = "capz-held";
/** Azure Resource Manager: the value of a tag has at most 256 characters. */
const maxTagLength = 256;

export interface ArmOptions {
  readonly definition: ExtensionDefinition;
  readonly plan: CloudPlan;
  /** Address of Azure Resource Manager. */
  readonly endpoint: string;
  readonly credential: TokenCredential;
  readonly send: Transport;
}

/** Publishes through Microsoft.Compute/sharedVMExtensions; the state of a rollout is kept in tags of the version. */
export function createArmPublisher(options: ArmOptions): Publisher {
  const { definition, plan } = options;
  const group = `/subscriptions/${plan.subscriptionId}/resourceGroups/${plan.resourceGroup}`;
  const type = `${group}/providers/Microsoft.Compute/sharedVMExtensions/${definition.publisher}.${definition.type}`;
  const versionPath = (version: string): string => `${type}/versions/${version}`;
  return {
    list: async () => {
      const answer = await call(options, { method: "GET", path: `${type}/versions` }, [200, 404]);
      if (answer.status === 404) return [];
      return readAllPages(options, answer);
    },
    replication: async (version) => {
      const path = versionPath(version);
      const answer = await call(options, { method: "GET", path, query: "&$expand=ReplicationStatus" }, [200]);
      return toReplication(JSON.parse(answer.body));
    },
    registerType: async () => {
      const found = await call(options, { method: "GET", path: type }, [200, 404]);
      if (found.status === 404)
        await call(options, { method: "PUT", path: type, body: typeBody(options) }, [200, 201, 202]);
    },
    put: async (change) => {
      const body = versionBody(options, change);
      await call(options, { method: "PUT", path: versionPath(change.version), body }, [200, 201, 202]);
    },
    delete: async (version) => {
      await call(options, { method: "DELETE", path: versionPath(version) }, [200, 202, 204]);
    },
  };
}

async function readAllPages(options: ArmOptions, first: HttpAnswer): Promise<readonly PublishedVersion[]> {
  const found: PublishedVersion[] = [];
  let page: unknown = JSON.parse(first.body);
  for (;;) {
    found.push(...listOf(member(page, "value")).map(toVersion));
    const next = member(page, "nextLink");
    if (typeof next !== "string") return found;
    if (new URL(next).origin !== new URL(options.endpoint).origin) {
      throw new PublishError(
        `The list goes on at ${new URL(next).origin}, which is not Azure Resource Manager.`,
        "Check the cloud.",
      );
    }
    page = JSON.parse((await callUrl(options, { method: "GET", url: next }, [200])).body);
  }
}

function typeBody({ definition, plan }: ArmOptions): object {
  const { publisher, type, label, description, companyName } = definition;
  return { location: plan.location, properties: { identifier: { publisher, type }, label, description, companyName } };
}

function versionBody({ definition, plan }: ArmOptions, change: VersionChange): object {
  return {
    location: plan.location,
    tags: {
      [shaTag]: change.sha256,
      [startedTag]: change.stageStarted.toISOString(),
      ...(change.held === undefined ? {} : { [heldTag]: change.held.slice(0, maxTagLength) }),
    },
    properties: {
      mediaLink: change.mediaLink ?? "",
      regions: change.regions,
      computeRole: "IaaS",
      supportedOS: definition.os,
      supportedArchitectures: definition.architectures,
      isInternalExtension: change.internal,
      safeDeploymentPolicy: "Minimal",
      supportsMultipleExtensions: false,
      configuration: { isJsonExtension: true },
    },
  };
}

function toVersion(row: unknown): PublishedVersion {
  const properties = member(row, "properties");
  const started = member(row, "tags", startedTag);
  const sha256 = member(row, "tags", shaTag);
  const held = member(row, "tags", heldTag);
  return {
    version: textOr(member(row, "name"), "").split("/").at(-1) ?? "",
    internal: String(member(properties, "isInternalExtension")).toLowerCase() === "true",
    regions: listOf(member(properties, "regions") ?? ["*"]).map(String),
    sha256: typeof sha256 === "string" ? sha256 : undefined,
    stageStarted: typeof started === "string" ? new Date(started) : undefined,
    ...(typeof held === "string" ? { held } : {}),
  };
}

function toReplication(row: unknown): Replication {
  const status = member(row, "properties", "replicationStatus");
  const aggregated = textOr(member(status, "aggregatedState"), "Unknown");
  const provisioning = textOr(member(row, "properties", "provisioningState"), "Unknown");
  const regions = listOf(member(status, "summary")).map((summary) => {
    const progress = member(summary, "progress");
    const region = {
      region: textOr(member(summary, "region"), "?"),
      state: textOr(member(summary, "state"), "Unknown"),
    };
    return typeof progress === "number" ? { ...region, progress } : region;
  });
  if (aggregated === "Failed" || provisioning === "Failed") return failedReplication(regions);
  return { kind: aggregated === "Completed" && provisioning === "Succeeded" ? "completed" : "pending", regions };
}

interface ArmCall {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly query?: string;
  readonly body?: object;
}

function call(
  options: ArmOptions,
  { path, query, ...rest }: ArmCall,
  expected: readonly number[],
): Promise<HttpAnswer> {
  const url = `${options.endpoint}${path}?api-version=${apiVersion}${query ?? ""}`;
  return callUrl(options, { ...rest, url }, expected);
}

/** The library's own error is a page that lists every way to sign in; what a person needs of it is one sentence. */
async function tokenFor({ credential, endpoint }: ArmOptions): Promise<string> {
  try {
    return (await credential.getToken(`${endpoint}/.default`))?.token ?? "";
  } catch (error) {
    const firstLine = errorText(error).split("\n")[0] ?? "";
    throw new PublishError(
      `Nobody is signed in to ${endpoint}: ${firstLine.slice(0, 200)}`,
      "Sign in (az login, or azure/login in a workflow). To see the requests without: --dry-run.",
    );
  }
}

async function callUrl(
  options: ArmOptions,
  request: { readonly method: HttpRequest["method"]; readonly url: string; readonly body?: object },
  expected: readonly number[],
): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${await tokenFor(options)}`, "content-type": "application/json" };
  const { method, url, body } = request;
  const answer = await options.send({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (expected.includes(answer.status)) return answer;
  throw new PublishError(
    `${method} ${new URL(url).pathname} was refused: ${describeAnswer(answer)}`,
    answer.status === 403
      ? "The identity needs Microsoft.Compute/sharedVMExtensions/* and the subscription Microsoft's approval as a publisher."
      : "Read the message of the service; no later step was taken.",
  );
}
