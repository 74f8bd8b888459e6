import type { Account } from "../../../cluster/verdict/account.ts";

/** An account with everything that must be there; a test names what it is about. */
export function account(fields: Partial<Account> = {}): Account {
  return {
    source: "instanceView",
    outcome: "failed",
    reason: "DnsResolutionFailed",
    time: "2026-11-22T10:00:00.000Z",
    firstLine:
      "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s: lookup failed. Next: correct the DNS.",
    evidence: [],
    timeline: [],
    ...fields,
  };
}

/** Each moment is written once: histories and simulations ask for the same ones millions of times. */
const written = new Map<number, string>();

/** The moment so many seconds after ten o'clock. */
export function at(seconds: number): string {
  const known = written.get(seconds);
  if (known !== undefined) return known;
  const moment = new Date(Date.UTC(2026, 10, 22, 10) + seconds * 1000).toISOString();
  written.set(seconds, moment);
  return moment;
}
