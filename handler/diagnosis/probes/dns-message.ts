/** What a resolver answered to one question (RFC 1035, section 4.1). */
export interface DnsReply {
  readonly id: number;
  /** NOERROR, NXDOMAIN, SERVFAIL, REFUSED …, or RCODE<n>. */
  readonly code: string;
  readonly addresses: readonly string[];
}

export const recordTypes = { A: 1, AAAA: 28 } as const;
const codes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"] as const;
const headerBytes = 12;

export function encodeQuestion(id: number, name: string, type: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2); // recursion desired
  header.writeUInt16BE(1, 4);
  const labels = name
    .replace(/\.$/, "")
    .split(".")
    .map((label) => Buffer.concat([Buffer.from([Buffer.byteLength(label)]), Buffer.from(label)]));
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

/** Undefined for what is not a reply. */
export function decodeReply(message: Buffer): DnsReply | undefined {
  if (message.length < headerBytes || (message.readUInt16BE(2) & 0x8000) === 0) return undefined;
  const number = message.readUInt16BE(2) & 0x000f;
  return {
    id: message.readUInt16BE(0),
    code: codes[number] ?? `RCODE${number}`,
    addresses: readAddresses(message),
  };
}

function readAddresses(message: Buffer): readonly string[] {
  const addresses: string[] = [];
  let at = headerBytes;
  for (let n = message.readUInt16BE(4); n > 0; n--) at = skipName(message, at) + 4;
  for (let n = message.readUInt16BE(6); n > 0 && at < message.length; n--) {
    at = skipName(message, at);
    if (at + 10 > message.length) break;
    const type = message.readUInt16BE(at);
    const data = message.subarray(at + 10, at + 10 + message.readUInt16BE(at + 8));
    if (type === recordTypes.A && data.length === 4) addresses.push([...data].join("."));
    if (type === recordTypes.AAAA && data.length === 16)
      addresses.push((data.toString("hex").match(/.{4}/g) ?? []).join(":"));
    at += 10 + data.length;
  }
  return addresses;
}

function skipName(message: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const length = message[at];
    if (length === undefined || length === 0) return at + 1;
    if ((length & 0xc0) === 0xc0) return at + 2;
    at += length + 1;
  }
}
