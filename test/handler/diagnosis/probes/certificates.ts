import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed authority with this common name. */
export async function makeAuthority(folder: string, name: string): Promise<Issued> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  await run("openssl", [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
    "-days",
    "30",
    "-subj",
    `/CN=${name}`,
  ]);
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}

/** A server certificate of that authority, valid between the two times (YYYYMMDDHHMMSSZ). */
export async function issueCertificate(
  folder: string,
  {
    authority,
    name,
    validity,
  }: { readonly authority: string; readonly name: string; readonly validity: readonly [string, string] },
): Promise<Issued> {
  const [from, until] = validity;
  const file = (suffix: string) => join(folder, `${authority}-${from}-${name.replaceAll(/\W/g, "_")}${suffix}`);
  await run("openssl", [
    "req",
    "-new",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    file(".key"),
    "-out",
    file(".csr"),
    "-subj",
    "/CN=kube-apiserver",
  ]);
  await writeFile(file(".ext"), `subjectAltName=${name}\n`);
  await writeFile(file(".db"), "");
  await writeFile(
    file(".cnf"),
    `[ca]\ndefault_ca=d\n[d]\ndatabase=${file(".db")}\nnew_certs_dir=${folder}\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n`,
  );
  await run("openssl", [
    "ca",
    "-batch",
    "-config",
    file(".cnf"),
    "-in",
    file(".csr"),
    "-out",
    file(".crt"),
    "-notext",
    "-cert",
    join(folder, `${authority}.crt`),
    "-keyfile",
    join(folder, `${authority}.key`),
    "-startdate",
    from,
    "-enddate",
    until,
    "-extfile",
    file(".ext"),
  ]);
  return { cert: await readFile(file(".crt"), "utf8"), key: await readFile(file(".key"), "utf8") };
}
