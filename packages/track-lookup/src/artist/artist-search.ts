import type { FoundArtist, PlatformClient } from '@artist-watch/catalogue/port';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { PLANS, searchesPerDay } from '@artist-watch/domain/account/plans';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import { type Caller, withAllowance } from '../allowance.js';
import { asked } from '../asked.js';
import type { FollowShortLink } from '../input/short-links.js';

/** An account searches for one thing at a time, so that a list of names leaves turns to others. */
const SEARCHES_OF_ACCOUNT = { maxRunning: 1, maxWaiting: 8, maxWaitMs: 5_000 };
const SEARCHES = { maxRunning: 4, maxWaiting: 100, maxWaitMs: 5_000 };

export type ArtistSearch = ReturnType<typeof artistSearch>;

/**
 * Artists of the platform by their name. Searches within the request budget that the poller takes from, with the urgency of a
 * first reading: behind what is due (docs/adr/0027).
 */
export function artistSearch(client: PlatformClient, allowance: DailyAllowance, followLink: FollowShortLink) {
  const ofAccounts = new Gates(SEARCHES_OF_ACCOUNT);
  const ofAll = new Gate(SEARCHES);
  const search = (name: string, { accountId: account }: Caller) =>
    asked(client.sourceName, (signal) => client.searchArtists(name, { signal, urgency: 'close', account }));
  const counted = <Result>({ accountId, plan }: Caller, now: Date, call: () => Promise<Result>): Promise<Result> => {
    const limit = { calls: searchesPerDay(PLANS[plan]), what: 'searches' };
    return ofAccounts.run(accountId, () => ofAll.run(() => withAllowance(allowance, accountId, limit, now, call)));
  };
  return {
    /**
     * @returns what the platform finds, in its own order.
     * @throws ApiError `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    find(name: string, caller: Caller, now: Date): Promise<readonly FoundArtist[]> {
      return counted(caller, now, () => search(name, caller));
    },

    /**
     * @returns the platform's id of the artist that a short link leads to; costs a search.
     * @throws ApiError `unsupported_url`, `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    async artistAt(link: URL, caller: Caller, now: Date): Promise<string> {
      const target = await counted(caller, now, () => followLink(link));
      const address = target === undefined ? undefined : parseArtistAddress(target, client.platform);
      if (address?.kind === 'artist') return address.artistId;
      throw new ApiError('unsupported_url', 'This short link does not lead to an artist.');
    },
  };
}
