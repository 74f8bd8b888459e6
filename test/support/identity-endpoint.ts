import { listen } from "./http-server.ts";

export interface IdentityAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface IdentityEndpoint {
  readonly url: string;
  /** Query parameters of the requests that carried `Metadata: true`, as the real endpoint demands. */
  readonly requests: readonly URLSearchParams[];
  /** One answer per request; the last one stays. */
  answer(...answers: readonly IdentityAnswer[]): void;
  close(): Promise<void>;
}

/** Plays the machine's identity endpoint (IMDS) on loopback. */
export async function startIdentityEndpoint(): Promise<IdentityEndpoint> {
  const requests: URLSearchParams[] = [];
  let planned: IdentityAnswer[] = [];
  const server = await listen((request, response) => {
    if (request.headers["metadata"] !== "true") {
      response.writeHead(400).end('{"error":"invalid_request"}');
      return;
    }
    requests.push(new URL(request.url ?? "/", "http://identity.test").searchParams);
    const answer = planned.length > 1 ? planned.shift() : planned[0];
    response.writeHead(answer?.status ?? 500, answer?.headers).end(JSON.stringify(answer?.body ?? {}));
  });
  return {
    url: `${server.origin}/metadata/identity/oauth2/token`,
    requests,
    answer(...answers) {
      planned = [...answers];
    },
    close: () => server.close(),
  };
}

export function tokenAnswer(token: string): IdentityAnswer {
  return {
    status: 200,
    body: { access_token: token, expires_on: String(Math.floor(Date.now() / 1000) + 3600), token_type: "Bearer" },
  };
}

/** A token whose claims Azurite accepts for storage; it does not check signatures. */
export function storageToken(audience = "https://storage.azure.com"): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: audience,
    iss: "https://sts.windows.net/00000000-0000-0000-0000-000000000001/",
    nbf: now - 60,
    iat: now - 60,
    exp: now + 3600,
  };
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}.${Buffer.from("signature").toString("base64url")}`;
}
