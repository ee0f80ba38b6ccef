import { ApiError } from '@artist-watch/contracts/api/errors';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';

const DAY_MS = 86_400_000;

export interface Caller {
  readonly accountId: AccountId;
  readonly plan: PlanName;
}

export function allowanceResetsAt(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
}

/**
 * Reserves one unit of a daily allowance (docs/api/requests.md). Refunds it if the call fails, unless the call failed
 * because the track does not exist.
 * @param limit.what plural name for the units, such as `tool calls`
 * @throws ApiError `daily_allowance_exceeded`; any error from `call`
 */
export async function withAllowance<Result>(
  allowance: DailyAllowance,
  accountId: AccountId,
  limit: { readonly calls: number; readonly what: string },
  now: Date,
  call: () => Promise<Result>,
): Promise<Result> {
  const { kind, day } = await allowance.reserve({ accountId, limit: limit.calls, now });
  if (kind === 'spent') {
    throw new ApiError(
      'daily_allowance_exceeded',
      `You have used all ${limit.calls} ${limit.what} for today (UTC). The limit resets at 00:00 UTC.`,
      {
        headers: { 'Retry-After': String(Math.ceil((allowanceResetsAt(now).getTime() - now.getTime()) / 1000)) },
      },
    );
  }
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'track_not_found')) {
      // If the refund fails too, the call's error must still be the one reported.
      await allowance.refund(accountId, day).catch(() => undefined);
    }
    throw error;
  }
}

/** Counts every call in a metric, and logs failed refunds. */
export function countedAllowance(inner: DailyAllowance, metrics: Metrics, log: Logger): DailyAllowance {
  const calls = metrics.counter({
    name: 'artist_watch_lookup_allowance_total',
    help:
      'Effects of tool calls on the daily allowance: taken, given_back (the platform failed), not_given_back ' +
      '(PostgreSQL failed too, so the call stays counted), or refused (allowance used up).',
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
