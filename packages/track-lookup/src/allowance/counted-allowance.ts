import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';

/** The same allowance, which also counts what becomes of each call, and logs a call that stays counted. */
export function countedAllowance(inner: DailyAllowance, metrics: Metrics, log: Logger): DailyAllowance {
  const calls = metrics.counter({
    name: 'api_tool_allowance_total',
    help:
      'Calls of the daily tool allowance: taken, given_back (nobody could answer), not_given_back (nor did PostgreSQL ' +
      'answer, so it stays counted), or refused (they were spent).',
    labels: ['result'],
  });
  return {
    ...inner,
    async reserve(request) {
      const reservation = await inner.reserve(request);
      calls.inc({ result: reservation.kind === 'reserved' ? 'taken' : 'refused' });
      return reservation;
    },
    async refund(accountId, day) {
      try {
        await inner.refund(accountId, day);
      } catch (error) {
        calls.inc({ result: 'not_given_back' });
        log.warn('allowance.not_given_back', { accountId, day, error });
        throw error;
      }
      calls.inc({ result: 'given_back' });
    },
  };
}
