import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

/** The certificate that the service encrypts protected settings for; the agent gets it, with its key, from the WireServer. */
export interface TenantKey {
  readonly folder: string;
  /** SHA-1 of the certificate, upper-case hex, as `protectedSettingsCertThumbprint` carries it. */
  readonly thumbprint: string;
  /** Gives base64 of a real CMS envelope in the form that the service makes: RSA PKCS#1 v1.5, DES-EDE3-CBC. */
  encrypt(protectedSettings: unknown): Promise<string>;
}

/** Makes a key pair, its certificate and the PFX without password in `folder`. */
export async function makeTenantKey(folder: string): Promise<TenantKey> {
  await mkdir(folder, { recursive: true });
  const certificate = join(folder, "tenant.crt");
  const key = join(folder, "tenant.key");
  const subject = "/DC=Windows Azure CRP Certificate Generator/CN=TenantEncryptionCert";
  await runCommand(
    `openssl req -x509 -nodes -newkey rsa:2048 -days 30 -keyout ${key} -out ${certificate} -subj`
      .split(" ")
      .concat(subject),
  );
  await runCommand(
    `openssl pkcs12 -export -passout pass: -in ${certificate} -inkey ${key} -out ${join(folder, "tenant.pfx")}`.split(
      " ",
    ),
  );
  const fingerprint = await runCommand(`openssl x509 -in ${certificate} -noout -fingerprint -sha1`.split(" "));
  const thumbprint = (fingerprint.split("=")[1] ?? "").trim().replaceAll(":", "");
  return {
    folder,
    thumbprint,
    encrypt: async (settings) => {
      const plain = join(folder, `${randomUUID()}.json`);
      await writeFile(plain, JSON.stringify(settings));
      const command = `openssl cms -encrypt -binary -outform PEM -des-ede3-cbc -in ${plain} ${certificate}`;
      const pem = await runCommand(command.split(" "));
      await rm(plain);
      return pemBody(pem).join("");
    },
  };
}

/** Wraps the PFX for the transport certificate that the agent sends along (WALinuxAgent: wire, get_header_for_cert); base64, 64 columns. */
export async function certificatesForAgent(folder: string, headers: IncomingHttpHeaders): Promise<string> {
  const base64 = headers["x-ms-guest-agent-public-x509-cert"];
  if (typeof base64 !== "string") throw new Error("The agent sent no transport certificate");
  const transport = join(folder, `transport-${randomUUID()}.pem`);
  await writeFile(transport, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
  const pfx = join(folder, "tenant.pfx");
  const pem = await runCommand(
    `openssl cms -encrypt -binary -outform PEM -des-ede3-cbc -in ${pfx} ${transport}`.split(" "),
  );
  await rm(transport);
  return pemBody(pem).join("\n");
}

function pemBody(pem: string): readonly string[] {
  return pem.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
}
