import type { RecordedDelivery } from './entries.js';
import type { Ledger } from './ledger.js';

/** All lists are empty if every promise was kept. */
export interface MailAccount {
  /** Each critical change causes one email per member. */
  readonly expected: number;
  readonly lost: readonly string[];
  readonly mails: number;
  /** A repeated email has the same Message-ID, so email clients recognize the duplicate. */
  readonly repeats: number;
  /** Two different emails to one member contained these changes. */
  readonly reportedTwice: readonly string[];
  readonly notInert: readonly string[];
}

/** Compares the emails with the accepted changes. */
export function reconcileMails(ledger: Ledger, deliveries: readonly RecordedDelivery[]): MailAccount {
  const changeIds = new Map(deliveries.map(({ externalId, changeId }) => [externalId, changeId]));
  const critical = [...ledger.accepted.values()].filter(({ severity }) => severity === 'critical');
  const messages = new Map<string, Set<string>>();
  const messageIds = new Set<string>();
  const unlistedTo = new Map<string, number>();
  for (const { recipient, messageId, changeIds: reported, unlisted } of ledger.mails) {
    if (!messageIds.has(messageId)) unlistedTo.set(recipient, (unlistedTo.get(recipient) ?? 0) + unlisted);
    messageIds.add(messageId);
    for (const changeId of reported) {
      const pair = `${changeId} to ${recipient}`;
      messages.set(pair, (messages.get(pair) ?? new Set()).add(messageId));
    }
  }
  const missingOf = (recipient: string) =>
    critical
      .map(({ externalId }) => `${changeIds.get(externalId) ?? externalId} to ${recipient}`)
      .filter((pair) => !messages.has(pair));
  return {
    expected: critical.length * ledger.mailed.size,
    // An email links to some changes and counts the others.
    lost: [...ledger.mailed].flatMap((recipient) => missingOf(recipient).slice(unlistedTo.get(recipient) ?? 0)),
    mails: ledger.mails.length,
    repeats: ledger.mails.length - messageIds.size,
    notInert: ledger.mails.filter(({ isInert }) => !isInert).map(({ messageId }) => messageId),
    reportedTwice: [...messages].filter(([, ids]) => ids.size > 1).map(([pair]) => pair),
  };
}
