import type { TokenCredential } from "@azure/identity";

/** An identity for servers that read a token's claims and do not check its signature (Azurite with --oauth basic). */
export function unsignedIdentity(audience: string): TokenCredential {
  const tenant = "11111111-2222-3333-4444-555555555555";
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    aud: audience,
    iss: `https://sts.windows.net/${tenant}/`,
    iat: seconds - 60,
    nbf: seconds - 60,
    exp: seconds + 3600,
    oid: "66666666-7777-8888-9999-000000000000",
    tid: tenant,
    ver: "1.0",
  };
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}.${Buffer.from("unsigned").toString("base64url")}`;
  return { getToken: () => Promise.resolve({ token, expiresOnTimestamp: (seconds + 3600) * 1000 }) };
}
