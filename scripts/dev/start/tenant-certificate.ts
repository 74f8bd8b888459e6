import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keptInRun } from "./kept-in-run.ts";

/** What Azure encrypts protected settings for. The guest agent keeps its key and itself in its folder, both named by the thumbprint. */
export interface TenantCertificate {
  readonly thumbprint: string;
  readonly file: string;
}

/** As the platform does it: an RSA certificate in the agent's folder, named by its SHA-1 in upper-case hex. */
export function tenantCertificate(libFolder: string): TenantCertificate {
  const known = join(libFolder, "certificate.thumbprint");
  if (existsSync(known)) return certificateIn(libFolder, readFileSync(known, "utf8"));
  const own = join(libFolder, "new");
  const made = keptInRun("tenant-certificate", requestCertificate) ?? requestCertificate(own);
  const thumbprint = thumbprintOf(readFileSync(join(made, "crt")));
  for (const suffix of ["prv", "crt"]) {
    writeFileSync(join(libFolder, `${thumbprint}.${suffix}`), readFileSync(join(made, suffix)), { mode: 0o400 });
  }
  rmSync(own, { recursive: true, force: true });
  writeFileSync(known, thumbprint);
  return certificateIn(libFolder, thumbprint);
}

function certificateIn(libFolder: string, thumbprint: string): TenantCertificate {
  return { thumbprint, file: join(libFolder, `${thumbprint}.crt`) };
}

/** Fills a folder with the key and the certificate. */
function requestCertificate(folder: string): string {
  mkdirSync(folder);
  execFileSync("openssl", certificateRequest(join(folder, "prv"), join(folder, "crt")), { stdio: "ignore" });
  return folder;
}

/** For openssl: a certificate with the subject that Azure gives it. */
export function certificateRequest(key: string, certificate: string): readonly string[] {
  const subject = "/DC=Windows Azure CRP Certificate Generator";
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", subject];
  return [...request, "-keyout", key, "-out", certificate];
}

/** The name by which settings and the guest agents of both systems know a certificate. */
export function thumbprintOf(certificate: Buffer): string {
  return new X509Certificate(certificate).fingerprint.replaceAll(":", "");
}

export function encryptFor({ file }: TenantCertificate, settings: unknown): Buffer {
  return execFileSync("openssl", ["cms", "-encrypt", "-binary", "-outform", "DER", "-des3", file], {
    input: JSON.stringify(settings),
    stdio: ["pipe", "pipe", "ignore"],
  });
}
