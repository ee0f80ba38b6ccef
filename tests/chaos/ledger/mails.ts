import type { RecordedDelivery } from './entries.js';
import type { Ledger } from './ledger.js';

/** What came of critical changes by mail. Every list is empty when the promises were kept. */
export interface MailAccount {
  /** Each critical change to each member. */
  readonly expected: number;
  readonly lost: readonly string[];
  readonly mails: number;
  /** The same mail again: with its Message-ID, by which mail programs recognise it. */
  readonly repeats: number;
  /** A change in two mails of one member that are not the same. */
  readonly reportedTwice: readonly string[];
  /** Message-IDs. */
  readonly notInert: readonly string[];
}

/** Holds the mails against the changes that were accepted. Pure. */
export function reconcileMails(ledger: Ledger, deliveries: readonly RecordedDelivery[]): MailAccount {
  const changeIds = new Map(deliveries.map(({ externalId, changeId }) => [externalId, changeId]));
  const critical = [...ledger.accepted.values()].filter(({ severity }) => severity === 'critical');
  const messages = new Map<string, Set<string>>();
  const messageIds = new Set<string>();
  for (const { recipient, messageId, changeIds: reported } of ledger.mails) {
    messageIds.add(messageId);
    for (const changeId of reported) {
      const pair = `${changeId} to ${recipient}`;
      messages.set(pair, (messages.get(pair) ?? new Set()).add(messageId));
    }
  }
  const pairs = [...ledger.mailed].flatMap((recipient) =>
    critical.map(({ externalId }) => `${changeIds.get(externalId) ?? externalId} to ${recipient}`),
  );
  return {
    expected: pairs.length,
    lost: pairs.filter((pair) => !messages.has(pair)),
    mails: ledger.mails.length,
    repeats: ledger.mails.length - messageIds.size,
    notInert: ledger.mails.filter(({ isInert }) => !isInert).map(({ messageId }) => messageId),
    reportedTwice: [...messages].filter(([, ids]) => ids.size > 1).map(([pair]) => pair),
  };
}
