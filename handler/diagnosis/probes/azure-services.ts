import type { Host } from "../../host.ts";
import { askDirectly, askHttp } from "./http.ts";
import { failed, notRun, passed, type Answer, type Probe } from "./probe.ts";
import { describeConnectError, tcpProbe } from "./tcp.ts";

/** Azure's two link-local services of every VM; other addresses in tests. */
export interface AzureAddresses {
  readonly metadata: string;
  readonly wireServer: string;
  readonly hostPlugin: { readonly host: string; readonly port: number };
}

export const azureAddresses: AzureAddresses = {
  metadata: "169.254.169.254",
  wireServer: "168.63.129.16",
  hostPlugin: { host: "168.63.129.16", port: 32526 },
};

/** kubeadm's tokens and certificates tolerate little; five minutes break Azure's and most others' too. */
const mostOffsetSeconds = 60;

export function azureProbes(host: Host, { metadata, wireServer, hostPlugin }: AzureAddresses): readonly Probe[] {
  const http = (url: string, headers: Record<string, string>) => (signal: AbortSignal) =>
    askHttp({ url, headers, signal });
  return [
    {
      name: "imds",
      target: metadata,
      ask: http(`http://${metadata}/metadata/instance?api-version=2021-02-01`, { Metadata: "true" }),
    },
    // "info" names the identity's tenant; it never returns a token.
    {
      name: "identity",
      target: metadata,
      ask: http(`http://${metadata}/metadata/identity/info?api-version=2018-02-01`, { Metadata: "true" }),
    },
    { name: "wireserver", target: `${wireServer}:80`, ask: http(`http://${wireServer}/?comp=versions`, {}) },
    tcpProbe("wireserver", hostPlugin),
    {
      name: "clock",
      target: wireServer,
      ask: (signal) => askClock(host, `http://${wireServer}/?comp=versions`, signal),
    },
  ];
}

async function askClock(host: Host, url: string, signal: AbortSignal): Promise<Answer> {
  let date: string | undefined;
  try {
    ({ date } = await askDirectly({ url, headers: {}, signal }));
  } catch (error) {
    return notRun(`no server to compare with: ${describeConnectError(error)}`);
  }
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return notRun("the server sends no Date");
  const offset = Math.round((host.now().getTime() - theirs) / 1000);
  const message = `offset ${offset > 0 ? "+" : ""}${offset} s`;
  return Math.abs(offset) > mostOffsetSeconds
    ? failed(`${message}, this machine's clock is ${offset > 0 ? "ahead" : "behind"}`)
    : passed(message);
}
