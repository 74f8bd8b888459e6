import { execFileSync } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A root, a signing certificate below it and their keys, made for one test run. */
export interface TestSigner {
  readonly root: string;
  readonly certificate: string;
  readonly key: string;
}

export async function makeTestSigner(): Promise<TestSigner> {
  const folder = await mkdtemp(join(tmpdir(), "capz-signer-"));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", [...args], { stdio: "ignore" });
  };
  const newKey = ["-newkey", "rsa:2048", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    at("root.key"),
    "-out",
    at("root.pem"),
    "-subj",
    "/CN=Test root",
    "-days",
    "2",
  );
  openssl("req", ...newKey, "-keyout", at("leaf.key"), "-out", at("leaf.csr"), "-subj", "/O=Test/CN=Test publisher");
  openssl(
    ...["x509", "-req", "-in", at("leaf.csr"), "-CA", at("root.pem"), "-CAkey", at("root.key"), "-CAcreateserial"],
    ...["-out", at("leaf.pem"), "-days", "2"],
  );
  return { root: at("root.pem"), certificate: at("leaf.pem"), key: at("leaf.key") };
}

/** Certificate and key, as PEM texts, for a TLS server on loopback. */
export async function makeLoopbackCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const folder = await mkdtemp(join(tmpdir(), "capz-loopback-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"],
      ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}
