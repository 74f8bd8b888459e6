import { basename } from "node:path";
import * as v from "valibot";
import { sha256 } from "./digest.ts";
import { readGivenFile, readGivenText } from "./given-file.ts";
import { PublishError } from "./publish-error.ts";
import { readRuntimePins } from "./runtime-pins.ts";

export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

const releaseFile = {
  what: "file of the release",
  next: "Name files that exist; npm run package builds the packages.",
};
const provenanceFile = { what: "in-toto statement", next: "Make it with: provenance PACKAGES …" };

export async function readSubjects(paths: readonly string[]): Promise<readonly Subject[]> {
  const subjects = await Promise.all(
    paths.map(async (path) => ({ name: basename(path), sha256: sha256(await readGivenFile(path, releaseFile)) })),
  );
  return subjects.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The form that `sha256sum --check` reads. */
export function renderChecksums(subjects: readonly Subject[]): string {
  return subjects.map(({ name, sha256: digest }) => `${digest}  ${name}\n`).join("");
}

export interface BuildOrigin {
  /** Address of the repository, e.g. https://github.com/owner/name. */
  readonly source: string;
  readonly commit: string;
  /** Address of the workflow that ran. */
  readonly builder: string;
  /** Address of this run of it. */
  readonly invocation: string;
}

/** An in-toto statement with SLSA provenance: which sources and which Node became these packages. */
export async function renderProvenance(subjects: readonly Subject[], origin: BuildOrigin): Promise<string> {
  const pins = await readRuntimePins();
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${origin.source}/blob/main/docs/publishing.md#build`,
        externalParameters: { repository: origin.source, commit: origin.commit, command: "npm run package" },
        resolvedDependencies: [
          { uri: `git+${origin.source}@${origin.commit}`, digest: { gitCommit: origin.commit } },
          ...pins.map((pin) => ({
            uri: `pkg:npm/${pin.npmPackage}@${pin.version}`,
            digest: { sha512: hexOf(pin.integrity) },
          })),
        ],
      },
      runDetails: { builder: { id: origin.builder }, metadata: { invocationId: origin.invocation } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

const statementFile = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    _type: v.literal("https://in-toto.io/Statement/v1"),
    subject: v.array(v.object({ name: v.string(), digest: v.object({ sha256: v.string() }) })),
  }),
);

/**
 * The statement must name the package with the digest that it has now: what is uploaded is what was built. Who signed the
 * statement is for the attestation's own verification (`gh attestation verify`).
 */
export async function requireInProvenance(path: string, file: string): Promise<void> {
  const [subject] = await readSubjects([path]);
  const read = v.safeParse(statementFile, await readGivenText(file, provenanceFile));
  if (!read.success || subject === undefined) {
    throw new PublishError(`${file} is no in-toto statement.`, provenanceFile.next);
  }
  const named = read.output.subject.find(({ name }) => name === subject.name);
  if (named?.digest.sha256 === subject.sha256) return;
  throw new PublishError(
    `${file} does not vouch for ${path}: it names ${named?.digest.sha256 ?? "no package of this name"}, the package has ${subject.sha256}.`,
    "Take package and statement from the same build.",
  );
}

function hexOf(npmIntegrity: string): string {
  return Buffer.from(npmIntegrity.replace("sha512-", ""), "base64").toString("hex");
}
