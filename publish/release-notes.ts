import { PublishError } from "./publish-error.ts";
import type { Subject } from "./release-files.ts";

/** The section of a version in the changelog, without its heading. Throws where there is none, it is empty, or it is not dated yet. */
export function changelogSection(changelog: string, version: string): string {
  const lines = changelog.replaceAll("\r\n", "\n").split("\n");
  const start = lines.findIndex((line) => versionOf(line) === version);
  if (start === -1) {
    throw new PublishError(
      `CHANGELOG.md has no section of the version ${version}.`,
      `Write one, with the heading: ## ${version} - YYYY-MM-DD`,
    );
  }
  const heading = lines[start] ?? "";
  if (!/ - \d{4}-\d\d-\d\d$/u.test(heading)) {
    throw new PublishError(
      `CHANGELOG.md has the heading "${heading}", so ${version} is not released.`,
      `Write the day of the release: ## ${version} - YYYY-MM-DD`,
    );
  }
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^## |^\[[^\]]+\]: /u.test(line));
  const section = (end === -1 ? rest : rest.slice(0, end)).join("\n").trim();
  if (section === "")
    throw new PublishError(`The section of ${version} in CHANGELOG.md is empty.`, "Say what a user will notice.");
  return section;
}

/** `## 2.0.0 - 2026-11-22`, also with the version in brackets. */
function versionOf(line: string): string | undefined {
  return /^## \[?(?<version>\d+\.\d+\.\d+)\]?(?:\s|$)/u.exec(line)?.groups?.["version"];
}

export interface ReleaseNotes {
  readonly section: string;
  /** Image of the management side with its digest: `registry/name@sha256:…`. */
  readonly image?: string;
  /** Repository (`owner/name`) in which GitHub attests the files; absent where nobody does. */
  readonly attestedBy?: string;
  /** Every file of the release. */
  readonly files: readonly Subject[];
  /** Value of the setting checkSha256 for the check bundle of this release. */
  readonly bundleDigest?: string;
}

/** What stands on the page of the release: the changelog, then what the files are and how to check them. */
export function renderNotes({ section, image, attestedBy, files, bundleDigest }: ReleaseNotes): string {
  const rows = files.map(({ name, sha256 }) => `| \`${name}\` | ${purposeOf(name)} | \`${sha256}\` |`);
  const parts = [
    section,
    ...(image === undefined ? [] : [`### Image of the management side\n\n\`${image}\``]),
    ...(bundleDigest === undefined ? [] : [`### Check bundle\n\n\`checkSha256\`: \`${bundleDigest}\``]),
    ...(rows.length === 0
      ? []
      : [
          `### Files\n\n| File | What it is | SHA-256 |\n| --- | --- | --- |\n${rows.join("\n")}`,
          howToCheck(attestedBy),
        ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function howToCheck(attestedBy: string | undefined): string {
  const attested = attestedBy === undefined ? "" : `\ngh attestation verify FILE --repo ${attestedBy}`;
  return `\`SHA256SUMS\` lists every file${attestedBy === undefined ? "" : ", and each of them is attested"}:

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS${attested}
\`\`\``;
}

const purposes: readonly (readonly [RegExp, string])[] = [
  [/^CAPZ\.\w+\.Bootstrapping-[\d.]+\.zip$/u, "package of the extension"],
  [/\.sbom\.cdx\.json$/u, "SBOM (CycloneDX)"],
  [/^capz-bootstrap\.cjs$/u, "client in one file, for Node 22 and newer"],
  [/^capz-bootstrap\.tgz$/u, "client as a package of npm"],
  [/^bundle\.json(?:\.sig)?$|^check\.cjs$|^rules\.json$/u, "check bundle"],
  [/^kubectl-capz_bootstrap\.tar\.gz$/u, "plugin for kubectl"],
  [/^capz-bootstrap\.yaml$/u, "manifest for krew"],
  [/^management\.yaml$/u, "manifests of the management side"],
  [/^provenance\.intoto\.json$/u, "provenance of the packages"],
];

function purposeOf(name: string): string {
  return purposes.find(([pattern]) => pattern.test(name))?.[1] ?? "";
}
