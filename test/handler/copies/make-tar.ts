import { gzipSync } from "node:zlib";

export interface TarFile {
  readonly name: string;
  readonly content?: string | Buffer;
  /** "0" a file (default), "2" a symbolic link, "1" a hard link, "5" a folder, "3" a device. */
  readonly type?: string;
  readonly link?: string;
  /** In place of the content's own length. */
  readonly size?: number;
}

/** A tar byte by byte, so that a test can write what no well-meant program would. */
export function makeTar(files: readonly TarFile[]): Buffer {
  return Buffer.concat([...files.flatMap(blocksOf), Buffer.alloc(1024)]);
}

export function makeTgz(files: readonly TarFile[]): Buffer {
  return gzipSync(makeTar(files));
}

function blocksOf({ name, content = "", type = "0", link = "", size }: TarFile): readonly Buffer[] {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write(`${Math.floor(Date.parse("2026-11-21T03:00:00Z") / 1000).toString(8)}\0`, 136);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write("ustar\u000000", 257);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}
