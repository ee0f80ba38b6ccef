import type { FoundArtist, PlatformClient } from '@artist-watch/catalogue/port';
import { PLANS, searchesPerDay } from '@artist-watch/domain/account/plans';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import { type Caller, withAllowance } from '../allowance.js';
import { asked } from '../asked.js';

/** An account searches for one thing at a time, so that a list of names leaves turns to others. */
const SEARCHES_OF_ACCOUNT = { places: 1, maxWaiting: 8, maxWaitMs: 5_000 };
const SEARCHES = { places: 4, maxWaiting: 100, maxWaitMs: 5_000 };

export type ArtistSearch = ReturnType<typeof artistSearch>;

/**
 * Artists of the platform by their name. Searches within the request budget that the poller takes from, with the urgency of a
 * first reading: behind what is due (docs/adr/0027).
 */
export function artistSearch(client: PlatformClient, allowance: DailyAllowance) {
  const ofAccounts = new Gates(SEARCHES_OF_ACCOUNT);
  const ofAll = new Gate(SEARCHES);
  const search = (name: string) =>
    asked(client.sourceName, (signal) => client.searchArtists(name, { signal, urgency: 'close' }));
  return {
    /**
     * @returns what the platform finds, in its own order.
     * @throws ApiError `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    find(name: string, { accountId, plan }: Caller, now: Date): Promise<readonly FoundArtist[]> {
      const limit = { calls: searchesPerDay(PLANS[plan]), what: 'searches' };
      const counted = () => withAllowance(allowance, accountId, limit, now, () => search(name));
      return ofAccounts.run(accountId, () => ofAll.run(counted));
    },
  };
}
