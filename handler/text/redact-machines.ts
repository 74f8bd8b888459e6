import { toPatterns, type AnnouncedPatterns } from "./redact-commands.ts";

/** Secrets of what else runs on a node: agents of clouds and monitors, IPsec, disks, Windows domains, sign-ins by code. */
const patterns = toPatterns([
  // A field error of Kubernetes shows what it refused.
  [
    "secret",
    /((?:password|passwd|passphrase|token|secret|(?:api|access|secret|private|certificate)-?key)["'\]]{0,2}:\s{1,4}Invalid value:\s{1,4}\\{0,4}["'])[^"'\\\n<]{1,512}/gi,
  ],
  // kubeadm, of a token that it refuses
  ["token", /(\bbootstrap token \\{0,4}["'])[^"'\\\n<]{1,512}(?=\\{0,4}["'] was not of the form)/gi],
  // The fabric's and an agent's keys: no field of that name holds a readable text of this length.
  ["key", /((?<!\bpublic[ _-])\bkey\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?)[0-9a-f]{64}(?![0-9a-z])/gi],
  [
    "key",
    /((?<!\b[Pp]ublic[ _-])\bkey\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?)(?=[\w+/-]{0,128}\d)(?=[\w+/-]{0,128}[a-z])(?=[\w+/-]{0,128}[A-Z])[\w+/-]{40,}={0,2}/g,
  ],
  // Vault's; one in a thousand of base64 has no digit
  ["key", /(\bunseal key \d{1,2}:\s{1,4})[\w+/]{24,}={0,2}/gi],
  ["signature", /(\bsignature\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?(?:secret\s{1,4})?)[\w+/%-]{32,}={0,2}/gi],
  ["signature", /(\bHMAC-SHA256\s{1,4}\S{1,128}\s{1,4})[\w+/]{32,}={0,2}/gi],
  ["authorization", /(\bresponse=["']?)[0-9a-f]{32,64}(?![0-9a-z])/g],
  [
    "password",
    /(\b(?:requirepass|masterauth|http_passwd|shared_key|authtok|auth_pass|(?:root)?bindpw)\s{1,4}["']?)(?!(?:and|has|in|is|missing|must|not|or|too|was)(?![^\s.,:;]))[^\s"'<=:][^\s"']{3,}/gi,
  ],
  ["key", /(\bencrypt["']?\s{0,4}[\s:=]\s{0,4}["']?)[A-Z0-9+/]{22,}={0,2}(?![\w.-])/gi],
  ["key", /(\b(?:enc|auth|auth-trunc|aead)\s{1,4}["']?[\w()-]{3,40}["']?\s{1,4}["']?)0x[0-9a-f]{16,}/g],
  ["key", /(\brfc\d{4}\(gcm\(aes\)\)["']?\s{1,4}["']?)(?:0x)?[0-9a-f]{32,}/g],
  ["product-key", /(?<![A-Z0-9-])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![A-Z0-9-])/g],
  ["recovery-key", /(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])/g],
  ["password", /(\bPSCredential[\s(]{1,8}["'][^"'\n]{1,128}["']\s{0,4},\s{0,4}\\{0,8}["'])[^"'\\\n<]{1,256}/gi],
  [
    "account-key",
    /(\b(?:account|access|storage|shared)_?key\s{1,4}["']?)(?=[\w+/]{0,128}\d)(?=[\w+/]{0,128}[A-Z])[\w+/]{24,}={0,2}/gi,
  ],
  ["api-token", /(\bbot\d{6,12}:)[\w-]{30,}/g],
  ["gitlab-token", /\bgl(?:rt|ptt|dt|cbt|ft|soat|imt|agent|oas)-[\w-]{20,}/g],
  ["token", /(\s--pat[\s=]\s{0,4}["']?)[^\s"'<-][^\s"']{15,}/g],
  // user.SetPassword("…"), set_password('…'), shared-secret "…"
  ["password", /(\b(?:set|change)_?(?:new_?)?password\(\s{0,4}\\{0,8}["'])[^"'\\\n<]{4,256}/gi],
  ["secret", /(\bshared-secret\s{1,4}\\{0,8}["'])[^"'\\\n<]{4,256}/g],
  // "challengePassword" of a certificate's request, by its number
  ["password", /(\b1\.2\.840\.113549\.1\.9\.7["']?\s{0,4}[:=]\s{1,4}["']?)[^\s"'<]+/g],
  // Twilio's account and its token
  ["token", /(\bAC[0-9a-f]{32}:)[0-9a-f]{32}\b/g],
  ["device-code", /(\benter the code\s{1,4}["']?)[A-Z0-9]{6,12}\b/g],
]);

/** In most lines there is none of these words, and one look says so. */
const announces =
  /Invalid value|not of the form|key|signature|HMAC|response=|requirepass|masterauth|passwd|authtok|encrypt|enc\s|auth|aead|rfc\d|[A-Z0-9]-[A-Z0-9]{5}-|\d{6}-\d{6}-|PSCred|\bbot\d|\bgl\w{2,5}-|--pat|the code|bindpw|password\(|shared-secret|\.9\.7|\bAC[0-9a-f]/i;

export const machinePatterns: AnnouncedPatterns = { patterns, announces };
