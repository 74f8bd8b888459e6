import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { decodeReply, encodeQuestion, recordTypes, type DnsReply } from "./dns-message.ts";
import { readEnd } from "../../files/read-end.ts";
import { failed, passed, type Answer, type Probe } from "./probe.ts";

const timeoutMs = 2000;

interface DnsQuestion {
  readonly name: string;
  readonly server: string;
  /** 53, except in tests. */
  readonly port: number;
}

/** One probe per resolver of the node, so that the one that does not answer is named. */
export async function dnsProbes(root: string, name: string, port = 53): Promise<readonly Probe[]> {
  const inHosts = await addressInHosts(root, name);
  if (inHosts !== undefined) {
    return [{ name: "dns", target: `${name} via /etc/hosts`, ask: () => Promise.resolve(passed(inHosts)) }];
  }
  const servers = await nameservers(root);
  return servers.map((server) => ({
    name: "dns",
    target: `${name} via ${server}`,
    timeoutMs,
    ask: (signal) => askResolver({ name, server, port }, signal),
  }));
}

async function askResolver(question: DnsQuestion, signal: AbortSignal): Promise<Answer> {
  const first = await query(question, recordTypes.A, signal);
  const reply =
    first.code === "NOERROR" && first.addresses.length === 0 ? await query(question, recordTypes.AAAA, signal) : first;
  const { server, name } = question;
  switch (reply.code) {
    case "NOERROR":
      return reply.addresses.length > 0
        ? passed(reply.addresses.join(", "))
        : failed(`NODATA, the name ${name} exists at ${server} but has no address`);
    case "NXDOMAIN":
      return failed(`NXDOMAIN, ${server} says that the name does not exist`);
    case "SERVFAIL":
      return failed(`SERVFAIL, ${server} could not find out`);
    case "unreachable":
      return failed(`unreachable, nothing listens at ${server}`);
    default:
      return failed(`${reply.code}, ${server} did not answer the question`);
  }
}

function query(
  { name, server, port }: DnsQuestion,
  type: number,
  signal: AbortSignal,
): Promise<Pick<DnsReply, "code" | "addresses">> {
  return new Promise((resolve, reject) => {
    const id = process.getBuiltinModule("node:crypto").randomInt(65_536);
    const socket = createSocket(isIPv6(server) ? "udp6" : "udp4");
    const close = () => {
      socket.removeAllListeners("message");
      socket.close();
    };
    signal.addEventListener("abort", () => {
      resolve({ code: "aborted", addresses: [] });
      try {
        close();
      } catch {
        // Closed by its answer already.
      }
    });
    socket.on("message", (message) => {
      const reply = decodeReply(message);
      if (reply?.id !== id) return;
      close();
      resolve(reply);
    });
    socket.on("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      if (code === "ECONNREFUSED") resolve({ code: "unreachable", addresses: [] });
      else if (code === "ENETUNREACH" || code === "EHOSTUNREACH") resolve({ code: "no route", addresses: [] });
      else reject(error);
    });
    // Connected, so that "port unreachable" comes back as an error. The event, not the callback: that one is also called
    // when there is no route, and sending would then throw where nobody catches it.
    socket.once("connect", () => {
      socket.send(encodeQuestion(id, name, type));
    });
    socket.connect(port, server);
  });
}

/** systemd-resolved's stub hides the real resolvers; its own list names them (man systemd-resolved.service, /ETC/RESOLV.CONF). */
export async function nameservers(root: string): Promise<readonly string[]> {
  const listed = parseNameservers(await readEnd(root, "/etc/resolv.conf"));
  if (listed.length === 1 && listed[0]?.startsWith("127.0.0.5") === true) {
    const behind = parseNameservers(await readEnd(root, "/run/systemd/resolve/resolv.conf"));
    if (behind.length > 0) return behind;
  }
  return listed.length > 0 ? listed : process.getBuiltinModule("node:dns").getServers().slice(0, 3);
}

function parseNameservers(text: string): readonly string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] ?? "").slice(0, 3);
}

async function addressInHosts(root: string, name: string): Promise<string | undefined> {
  const lines = (await readEnd(root, "/etc/hosts"))
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  return lines.find(([, ...names]) => names.includes(name))?.[0];
}
