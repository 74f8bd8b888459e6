/** Stands for Azure's resolver: answers every question with NXDOMAIN. Runs inside a node's network namespace. */
import { createSocket } from "node:dgram";

const [address] = process.argv.slice(2);
if (address === undefined) throw new Error("Usage: dns-server-main.ts ADDRESS");

const socket = createSocket("udp4");
socket.on("message", (query, sender) => {
  const answer = Buffer.from(query);
  // QR=1, recursion available, RCODE=3 (RFC 1035, 4.1.1); the question is repeated, there are no records.
  answer.writeUInt16BE(0x8183 | (query.readUInt16BE(2) & 0x0100), 2);
  answer.writeUInt16BE(0, 6);
  answer.writeUInt16BE(0, 8);
  answer.writeUInt16BE(0, 10);
  socket.send(answer.subarray(0, endOfQuestion(answer)), sender.port, sender.address);
});
socket.bind(53, address, () => {
  process.send?.("listening");
});
process.once("disconnect", () => process.exit(0));

/** Behind the name (labels until an empty one), the type and the class. */
function endOfQuestion(message: Buffer): number {
  let at = 12;
  while (at < message.length && message.readUInt8(at) !== 0) at += message.readUInt8(at) + 1;
  return Math.min(at + 5, message.length);
}
