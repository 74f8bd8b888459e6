import { generateKeyPairSync, sign } from "node:crypto";
import type { ModelCertificate } from "./files.ts";

/** Makes a real certificate (PEM) of the dates and names of one of the model: X.509 in DER (RFC 5280), signed by one key for all. */
const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"));

export function certificateFile(certificate: ModelCertificate): string {
  const subject = [
    ...certificate.organizations.map((name) => attribute("2.5.4.10", name)),
    attribute("2.5.4.3", certificate.commonName),
  ];
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1_234_567),
    ecdsaWithSha256,
    sequence(attribute("2.5.4.3", certificate.issuer.replace(/^CN=/u, ""))),
    sequence(time(certificate.notBeforeMs), time(certificate.notAfterMs)),
    sequence(...subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", body, keys.privateKey);
  const whole = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString("base64").replaceAll(/.{64}/gu, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function attribute(id: string, name: string): Buffer {
  return tagged(0x31, sequence(objectId(id), tagged(0x0c, Buffer.from(name, "utf8"))));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function integer(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return tagged(0x02, Buffer.from((bytes[0] ?? 0) > 0x7f ? [0, ...bytes] : bytes));
}

/** A GeneralizedTime: whole seconds, in UTC. */
function time(ms: number): Buffer {
  return tagged(0x18, Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-T:]/gu, "")}Z`));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const sevens = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) sevens.unshift((left & 0x7f) | 0x80);
    bytes.push(...sevens);
  }
  return tagged(0x06, Buffer.from(bytes));
}
