import { isIP } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { Host } from "../../host.ts";
import { failed, passed, type Answer, type Probe } from "./probe.ts";
import { describeConnectError, type Address } from "./tcp.ts";

export interface TlsQuestion {
  readonly address: Address;
  /** PEM of the cluster's authority, where known. */
  readonly authority: string | undefined;
}

export function tlsProbe({ address, authority }: TlsQuestion, host: Host): Probe {
  return {
    name: "tls",
    target: `${address.host}:${address.port}`,
    ask: (signal) => shakeHands({ address, authority }, { host, signal }),
  };
}

function shakeHands(
  { address, authority }: TlsQuestion,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = process.getBuiltinModule("node:tls").connect({
      host: address.host,
      port: address.port,
      // Nothing is sent over this connection: it is opened to look at the certificate, whatever it is.
      rejectUnauthorized: false,
      ...(isIP(address.host) === 0 ? { servername: address.host } : {}),
      ...(authority === undefined ? {} : { ca: authority }),
    });
    signal.addEventListener("abort", () => socket.destroy());
    socket.once("secureConnect", () => {
      resolve(judge(socket, { name: address.host, authority, now: host.now() }));
      socket.destroy();
    });
    socket.once("error", (error) => {
      resolve(failed(`no handshake, ${describeConnectError(error)}`));
    });
  });
}

interface Expected {
  readonly name: string;
  readonly authority: string | undefined;
  readonly now: Date;
}

function judge(socket: TLSSocket, { name, authority, now }: Expected): Answer {
  const certificate = socket.getPeerCertificate(true);
  const issuer = nameOf(certificate.issuer);
  const date = (text: string) => new Date(text).toISOString().slice(0, 19) + "Z";
  if (now > new Date(certificate.valid_to))
    return failed(`certificate expired at ${date(certificate.valid_to)}, issuer "${issuer}"`);
  if (now < new Date(certificate.valid_from)) {
    return failed(
      `certificate not yet valid, only from ${date(certificate.valid_from)}; this machine's clock says ${now.toISOString().slice(0, 19)}Z`,
    );
  }
  const issuerAnswer = judgeIssuer(socket, { certificate, issuer, authority });
  if (issuerAnswer !== undefined) return issuerAnswer;
  if (process.getBuiltinModule("node:tls").checkServerIdentity(name, certificate) !== undefined) {
    return failed(
      `name mismatch, the certificate is not for ${name} but for ${(certificate.subjectaltname ?? "no name").slice(0, 300)}`,
    );
  }
  return passed(`valid until ${date(certificate.valid_to)}, issuer "${issuer}"`);
}

/** An API server's certificate comes from the cluster's own authority, never from a public or a company's one. */
function judgeIssuer(
  socket: TLSSocket,
  {
    certificate,
    issuer,
    authority,
  }: { readonly certificate: PeerCertificate; readonly issuer: string; readonly authority: string | undefined },
): Answer | undefined {
  if (authority !== undefined) {
    if (socket.authorized || isSignedBy(certificate, authority)) return undefined;
    const { X509Certificate } = process.getBuiltinModule("node:crypto");
    const own = nameOf(new X509Certificate(authority).toLegacyObject().subject);
    return failed(
      `unknown issuer "${issuer}", not the cluster's authority "${own}"; something between may inspect TLS`,
    );
  }
  if (/^(?:kubernetes|rke2-server-ca|k3s-server-ca|10\.\d)/.test(issuer)) return undefined;
  return failed(
    `foreign issuer "${issuer}" where a cluster's own authority is expected; something between may inspect TLS`,
  );
}

function isSignedBy(certificate: PeerCertificate, authority: string): boolean {
  try {
    const { X509Certificate } = process.getBuiltinModule("node:crypto");
    const leaf = new X509Certificate(certificate.raw);
    const root = new X509Certificate(authority);
    return leaf.checkIssued(root) && leaf.verify(root.publicKey);
  } catch {
    return false;
  }
}

function nameOf(subject: unknown): string {
  if (typeof subject !== "object" || subject === null) return "unknown";
  const [name] = ["CN", "O"].flatMap((key) => {
    const value: unknown = Object.entries(subject).find(([field]) => field === key)?.[1];
    return typeof value === "string" ? [value] : [];
  });
  return name ?? "unknown";
}
