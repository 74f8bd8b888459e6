/** An address that something is sent to: https, or one on this machine, where a test or a rehearsal plays the service. Undefined for anything else. */
export function serviceAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return undefined;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url)) ? url : undefined;
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(hostname);
}
