import { WrongUse } from "../publish-error.ts";

/** A user-delegation signature lives seven days at most (Azure storage: "Get User Delegation Key"). */
const maxLinkDays = 7;

/**
 * How long a read link shall be valid, for commander.
 * @throws WrongUse
 */
export function parseLinkDays(text: string): number {
  const days = Number(text);
  if (days > 0 && days <= maxLinkDays) return days;
  throw new WrongUse(
    `--link-days is "${text}".`,
    `Give a number of days above 0, up to ${String(maxLinkDays)}: Azure signs no longer link.`,
  );
}
