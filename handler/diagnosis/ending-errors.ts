/**
 * What libc, Go's libraries and registries say as the innermost error of a line, without a word that says "error": it stands behind
 * a colon, at the end. Left out is what healthy machines end lines with: "File exists", "No such process".
 */
const said = [
  "operation not permitted",
  "device or resource busy",
  "text file busy",
  "function not implemented",
  "address already in use",
  "network is down",
  "host is down",
  "connection reset by peer",
  "required key not available",
  "structure needs cleaning",
  "no such device",
  "name does not resolve",
  "no address associated with hostname",
  "manifest unknown",
  "no basic auth credentials",
  "404 not found",
  "502 bad gateway",
  "certificate has expired",
  "self-signed certificate",
  "http response to https client",
  "look like a tls handshake",
  "client connection lost",
  "closed network connection",
  "signal: killed",
  "no healthy upstream",
  "empty reply from server",
  "transport is closing",
  ": eof",
] as const;

/** To search for. */
export const endingTexts: readonly string[] = said;

export function endsInError(text: string): boolean {
  const line = text
    .trimEnd()
    .replace(/[.)"'\]}\\]{1,4}$/u, "")
    .toLowerCase();
  return said.some((one) => line.endsWith(one)) && line.includes(": ");
}
