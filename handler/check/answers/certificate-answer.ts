import type { Answer, CertificateAnswer } from "../../../scripts/check/questions.ts";
import { cannotTell, cannotTellBecause, known } from "./answer.ts";
import { readSmallFile, textLimit, type FileView } from "./file-answers.ts";

/** The kubelet keeps certificate and key in one file, replaced as a whole; other providers write theirs in place. */
export async function answerCertificate(view: FileView, path: string): Promise<Answer<"certificate">> {
  try {
    const file = await readSmallFile(view, path, textLimit);
    switch (file.kind) {
      case "absent":
        return known<"certificate">(file);
      case "not-a-file":
        return cannotTell("it is not a regular file");
      case "bytes":
        return known<"certificate">(await parseCertificate(file.bytes));
    }
  } catch (error) {
    return cannotTellBecause(error);
  }
}

/** Cryptography is loaded when the first certificate is asked for, not by every wait. */
async function parseCertificate(bytes: Buffer): Promise<CertificateAnswer> {
  const { X509Certificate } = await import("node:crypto");
  try {
    const certificate = new X509Certificate(bytes);
    const subject = namesOf(certificate.subject);
    return {
      kind: "certificate",
      commonName: subject.get("CN")?.[0] ?? "",
      organizations: subject.get("O") ?? [],
      issuer: namesOf(certificate.issuer).get("CN")?.[0] ?? certificate.issuer.replaceAll("\n", ", "),
      notBeforeMs: certificate.validFromDate.getTime(),
      notAfterMs: certificate.validToDate.getTime(),
    };
  } catch {
    return { kind: "unreadable" };
  }
}

/** "O=system:nodes\nCN=system:node:a", as Node prints a distinguished name: OpenSSL puts a backslash before , + " \ < > ; # */
function namesOf(name: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const part of name.split(/\n| \+ /u)) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    const value = part.slice(at + 1).replace(/\\(?<escaped>[,+"\\<>;#= ])/gu, "$<escaped>");
    names.set(key, [...(names.get(key) ?? []), value]);
  }
  return names;
}
