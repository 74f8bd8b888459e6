import { XMLParser } from "fast-xml-parser";
import { renderExtensionImage, renderInternalImage } from "../extension-image.ts";
import type { ExtensionDefinition } from "../extension-definition.ts";
import { member, textOr } from "../json-value.ts";
import { PublishError } from "../publish-error.ts";
import type { CloudPlan } from "./plan.ts";
import {
  failedReplication,
  type Clock,
  type PublishedVersion,
  type Publisher,
  type Replication,
  type VersionChange,
} from "./publisher.ts";
import { describeAnswer, type HttpAnswer, type HttpRequest, type Transport } from "./send-request.ts";

const apiVersion = "2017-01-01";
/** Parts the reason of a held rollout from the rest of the description. */
const heldMark = " Held: ";
const pollPauseMs = 10_000;
const maxPolls = 60;

export interface RdfeOptions {
  readonly definition: ExtensionDefinition;
  readonly plan: CloudPlan;
  /** Address of the service management API. */
  readonly endpoint: string;
  /** Sends with the client certificate. */
  readonly send: Transport;
  readonly clock: Clock;
}

/**
 * Publishes through the classic service management API. It has no tags, so the digest and the beginning of a stage stand
 * in the description, which the service hands back.
 */
export function createRdfePublisher(options: RdfeOptions): Publisher {
  const { definition } = options;
  const identity = `services/extensions/${definition.publisher}/${definition.type}`;
  return {
    list: () => listVersions(options),
    replication: async (version) => {
      const answer = await call(options, { method: "GET", path: `${identity}/${version}/replicationstatus` }, [200]);
      return toReplication(answer.body);
    },
    // The first version registers the type: the service knows no type without one.
    registerType: () => Promise.resolve(),
    put: async (change) => {
      // The service asks for the certificate after the first request of a connection, so a GET goes first.
      const known = await listVersions(options);
      const body = imageOf(options, change);
      if (known.length === 0) await callAndWait(options, { method: "POST", path: "services/extensions", body });
      else await callAndWait(options, { method: "PUT", path: "services/extensions?action=update", body });
    },
    delete: (version) => callAndWait(options, { method: "DELETE", path: `${identity}/${version}` }),
  };
}

function imageOf({ definition }: RdfeOptions, change: VersionChange): string {
  const { version, internal } = change;
  if (internal && change.mediaLink === undefined) return renderInternalImage(definition, version);
  const held = change.held === undefined ? "" : `${heldMark}${change.held.replaceAll(/[\r\n]+/g, " ")}`;
  const note = `Package sha256 ${change.sha256}, stage begun ${change.stageStarted.toISOString()}.${held}`;
  const noted = { ...definition, description: `${definition.description} ${note}` };
  // No element: never promoted. An empty one: every region.
  const regions = change.regions.includes("*") ? [] : change.regions;
  const image = { version, internal, mediaLink: change.mediaLink ?? "" };
  return renderExtensionImage(noted, internal ? image : { ...image, regions });
}

async function listVersions(options: RdfeOptions): Promise<readonly PublishedVersion[]> {
  const answer = await call(options, { method: "GET", path: "services/publisherextensions" }, [200]);
  const { publisher, type } = options.definition;
  return rowsOf(parseXml(answer.body), "ExtensionImages", "ExtensionImage")
    .filter((row) => member(row, "ProviderNameSpace") === publisher && member(row, "Type") === type)
    .map(toVersion);
}

function toVersion(row: unknown): PublishedVersion {
  const regions = member(row, "Regions");
  const description = textOr(member(row, "Description"), "");
  const started = /stage begun ([\d:.T-]{23}Z)/.exec(description)?.[1];
  const held = description.split(heldMark)[1];
  return {
    version: textOr(member(row, "Version"), ""),
    internal: textOr(member(row, "IsInternalExtension"), "").toLowerCase() === "true",
    regions: regions === undefined ? [] : regionsOf(textOr(regions, "")),
    sha256: /sha256 ([0-9a-f]{64})/.exec(description)?.[1],
    stageStarted: started === undefined ? undefined : new Date(started),
    ...(held === undefined ? {} : { held }),
  };
}

function regionsOf(text: string): readonly string[] {
  const names = text.split(";").filter((name) => name !== "");
  return names.length === 0 ? ["*"] : names;
}

function toReplication(xml: string): Replication {
  const regions = rowsOf(parseXml(xml), "ReplicationStatusList", "ReplicationStatus").map((row) => ({
    region: textOr(member(row, "Location"), "?"),
    state: textOr(member(row, "Status"), "Unknown"),
  }));
  if (regions.some(({ state }) => state === "Failed")) return failedReplication(regions);
  const done = regions.length > 0 && regions.every(({ state }) => state === "Completed");
  return { kind: done ? "completed" : "pending", regions };
}

interface RdfeCall {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly body?: string;
}

/** A write is taken (202) and done later: its operation is asked until it has ended, for ten minutes at most. */
async function callAndWait(options: RdfeOptions, request: RdfeCall): Promise<void> {
  const accepted = await call(options, request, [200, 202]);
  const id = accepted.headers["x-ms-request-id"];
  if (accepted.status === 200 || id === undefined) return;
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const answer = await call(options, { method: "GET", path: `operations/${id}` }, [200]);
    const operation = member(parseXml(answer.body), "Operation");
    const status = member(operation, "Status");
    if (status === "Succeeded") return;
    if (status === "Failed") {
      const why = `${textOr(member(operation, "Error", "Code"), "no code")}: ${textOr(member(operation, "Error", "Message"), "")}`;
      throw new PublishError(
        `The operation ${id} failed, ${why}`,
        "Read the message of the service; no later step was taken.",
      );
    }
    await options.clock.sleep(pollPauseMs);
  }
  throw new PublishError(
    `The operation ${id} has not ended in ten minutes.`,
    "Run the step again: it goes on from what is there.",
  );
}

async function call(options: RdfeOptions, request: RdfeCall, expected: readonly number[]): Promise<HttpAnswer> {
  const url = `${options.endpoint}/${options.plan.subscriptionId}/${request.path}`;
  const headers = { "x-ms-version": apiVersion, "content-type": "application/xml" };
  const { method, body } = request;
  const answer = await options.send({ method, url, headers, ...(body === undefined ? {} : { body }) });
  if (expected.includes(answer.status)) return answer;
  throw new PublishError(
    `${method} ${request.path} was refused: ${describeAnswer(answer)}`,
    "Read the message of the service.",
  );
}

function parseXml(xml: string): unknown {
  return new XMLParser({ ignoreAttributes: true, parseTagValue: false }).parse(xml);
}

/** fast-xml-parser gives one child as an object and several as a list. */
function rowsOf(parsed: unknown, list: string, row: string): readonly unknown[] {
  const rows = member(parsed, list, row);
  return rows === undefined ? [] : Array.isArray(rows) ? rows : [rows];
}
