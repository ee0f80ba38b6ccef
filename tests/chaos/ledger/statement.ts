import type { Account } from './reconcile.js';

const shownPerLine = 5;

/** Returns no lines if all promises were kept. */
export function brokenPromises(account: Account): string[] {
  const lists: Record<string, readonly string[]> = {
    lost: account.lost,
    unexpected: account.uncalledFor,
    'never settled': account.unsettled,
    'stored as delivered, but not received': account.claimedDelivered,
    'sent twice without a fault': account.unexplainedDuplicates,
    'retried early': account.early,
    'retried late': account.late,
    'first attempts late': account.firstsLate,
    'attempts numbered wrongly': account.numbering,
    'counted against a healthy receiver': account.countedWrongly,
    'body altered between attempts': account.alteredBodies,
    'signature refused': account.badSignatures,
    'hostile name changed': account.alteredNames,
    'hostile name not escaped in an email': account.mails.notInert,
    'not emailed': account.mails.lost,
    'emailed twice with different Message-IDs': account.mails.reportedTwice,
  };
  const broken = Object.entries(lists)
    .filter(([, items]) => items.length > 0)
    .map(([promise, items]) => `${promise}: ${items.length} (${items.slice(0, shownPerLine).join('; ')})`);
  const bound =
    account.inFlightAtFaults + account.excludedAfterFaults + account.excludedOtherwise + account.resentAfterCut;
  if (account.duplicates > bound) broken.push(`duplicates: ${account.duplicates}, more than the ${bound} explained`);
  return broken;
}

export function statement(name: string, account: Account): string {
  const rows: [label: string, value: string | number][] = [
    ['faults caused', account.faults],
    ['changes accepted', account.accepted],
    ['deliveries expected', account.expected],
    ['delivered', account.delivered],
    ['lost', account.lost.length],
    ['not settled', account.unsettled.length],
    ['requests received', account.requests],
    ['duplicates', account.duplicates],
    ['  in flight at the time of a fault', account.inFlightAtFaults],
    ['  excluded after a fault', account.excludedAfterFaults],
    ['  excluded otherwise', account.excludedOtherwise],
    ['  resent after a cut connection', account.resentAfterCut],
    ['duplicates without a fault', account.unexplainedDuplicates.length],
    ['first attempts late', account.firstsLate.length],
    ['retries', account.retries],
    ['  early', account.early.length],
    ['  late', account.late.length],
    ['  taken over from a dead worker', account.retriesHandedOver],
    ['  worst lateness', `${account.worstLatenessMs} ms`],
    ['  lateness allowed without a fault', `${account.allowanceMs} ms`],
    ['attempts with a gap or repeat', account.numbering.length],
    ['failures counted without a fault', account.countedWrongly.length],
    ['bodies altered', account.alteredBodies.length],
    ['signatures refused', account.badSignatures.length],
    ['hostile names changed or not escaped', account.alteredNames.length + account.mails.notInert.length],
    ['critical changes that members must get', account.mails.expected],
    ['  not emailed', account.mails.lost.length],
    ['  emailed twice with different Message-IDs', account.mails.reportedTwice.length],
    ['emails received', account.mails.mails],
    ['  with a Message-ID seen before', account.mails.repeats],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return [`┌ ${name}`, ...rows.map(([label, value]) => `│ ${label.padEnd(width)}  ${value}`), '└'].join('\n');
}
