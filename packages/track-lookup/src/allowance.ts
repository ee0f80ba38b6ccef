import { ApiError } from '@artist-watch/contracts/api/errors';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';

const DAY_MS = 86_400_000;

/** Whose allowance a call takes from. */
export interface Caller {
  readonly accountId: AccountId;
  readonly plan: PlanName;
}

/** The next 00:00 UTC. */
export function allowanceResetsAt(now: Date): Date {
  return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);
}

/**
 * Makes a call that costs one of a daily allowance (docs/reference/api.md). It is taken before anybody is asked, kept for
 * an answer and for `track_not_found`, and given back for everything else.
 *
 * @param limit.what is counted, in the plural: `tool calls`.
 * @throws ApiError `daily_allowance_exceeded`, and what `call` throws.
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
    throw new ApiError('daily_allowance_exceeded', `The ${limit.calls} ${limit.what} of this UTC day are spent.`, {
      headers: { 'Retry-After': String(Math.ceil((allowanceResetsAt(now).getTime() - now.getTime()) / 1000)) },
    });
  }
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'track_not_found')) {
      // Whatever becomes of it, the caller gets the outcome of the call.
      await allowance.refund(accountId, day).catch(() => undefined);
    }
    throw error;
  }
}

/** The same allowance, which also counts what becomes of each call, and logs a call that stays counted. */
export function countedAllowance(inner: DailyAllowance, metrics: Metrics, log: Logger): DailyAllowance {
  const calls = metrics.counter({
    name: 'api_tool_allowance_total',
    help:
      'Calls of the daily tool allowance: taken, given_back (the platform failed), not_given_back (PostgreSQL failed ' +
      'too, so the call stays counted), or refused (allowance used up).',
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
