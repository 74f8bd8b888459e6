/**
 * An address as it may be printed: scheme, host and path. User, password, query (a SAS stands there) and fragment never;
 * an address that does not parse is not printed at all, since nobody can tell where its secret begins.
 */
export function describeUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null || url.host === "") return "<an address that cannot be parsed>";
  return `${url.protocol}//${url.host}${url.pathname}${url.search === "" ? "" : "?<redacted>"}`;
}
