/** Negative when `a` is older than `b`. Semantic versioning 2.0, section 11; build metadata does not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.pre === right.pre) return 0;
  if (left.pre === "") return 1;
  if (right.pre === "") return -1;
  return comparePreReleases(left.pre, right.pre);
}

function split(version: string): { readonly numbers: readonly number[]; readonly pre: string } {
  const text = version.replace(/^v/u, "").split("+", 1)[0] ?? "";
  const dash = text.indexOf("-");
  const core = dash < 0 ? text : text.slice(0, dash);
  return { numbers: core.split(".").map((part) => Number(part) || 0), pre: dash < 0 ? "" : text.slice(dash + 1) };
}

function comparePreReleases(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [one, other] = [left[index], right[index]];
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    const difference = compareParts(one, other);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Numbers by value and below words, words by their characters. */
function compareParts(a: string, b: string): number {
  const [left, right] = [Number(a), Number(b)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  if (!Number.isNaN(left)) return -1;
  if (!Number.isNaN(right)) return 1;
  return a < b ? -1 : Number(a > b);
}
