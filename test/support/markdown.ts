import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The repository's own pages. */
export function markdownFiles(repository: string): readonly string[] {
  const below = ["docs", "docs/decisions", "docs/proposals", "test/schemas"].flatMap((folder) =>
    readdirSync(join(repository, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  return [...readdirSync(repository).filter((name) => name.endsWith(".md")), ...below].toSorted();
}

export interface Snippet {
  readonly line: number;
  /** What stands behind the opening fence: "yaml", "json settings". */
  readonly language: string;
  readonly text: string;
}

/** Fenced code, also inside of lists; throws when a fence is never closed. */
export function snippetsOf(markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = [];
  let open:
    { readonly indent: number; readonly line: number; readonly language: string; readonly lines: string[] } | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = /^( {0,6})```(.*)$/.exec(line);
    if (fence === null) open?.lines.push(line.slice(open.indent));
    else if (open === undefined) {
      open = { indent: (fence[1] ?? "").length, line: index + 1, language: (fence[2] ?? "").trim(), lines: [] };
    } else {
      snippets.push({ line: open.line, language: open.language, text: open.lines.join("\n") });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`the code that begins in line ${String(open.line)} never ends`);
  return snippets;
}

/** Targets of links and pictures outside of code. */
export function linksOf(markdown: string): readonly string[] {
  const prose = withoutCode(markdown);
  return prose
    .split("](")
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf(")")));
}

/** Anchors as GitHub makes them from headings. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = withoutFences(markdown)
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => {
      const words = line.slice(line.indexOf(" ") + 1).toLowerCase();
      const slug = words.replaceAll(/[^\p{L}\p{N}\- _]/gu, "").replaceAll(" ", "-");
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${String(count)}`;
    });
  return new Set(anchors);
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown)
    .join("\n")
    .replaceAll(/`[^`\n]*`/g, "");
}

function withoutFences(markdown: string): readonly string[] {
  let inside = false;
  return markdown.split("\n").filter((line) => {
    const fence = /^ {0,6}```/.test(line);
    if (fence) inside = !inside;
    return !fence && !inside;
  });
}
