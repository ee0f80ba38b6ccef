import type { Metrics } from '@artist-watch/observability/metrics';
import type { Allowance } from '../application/tools/ports.js';

/** The same allowance, which also counts what becomes of it. */
export function countedAllowance(inner: Allowance, metrics: Metrics): Allowance {
  const calls = metrics.counter({
    name: 'api_tool_allowance_total',
    help: 'Calls of the daily tool allowance: taken, given_back (nobody could answer), or refused (they were spent).',
    labels: ['result'],
  });
  return {
    async reserve(request) {
      const reservation = await inner.reserve(request);
      calls.inc({ result: reservation.kind === 'reserved' ? 'taken' : 'refused' });
      return reservation;
    },
    async refund(accountId, day) {
      await inner.refund(accountId, day);
      calls.inc({ result: 'given_back' });
    },
    used: (accountId, now) => inner.used(accountId, now),
  };
}
