import type { FoundArtist, PlatformClient } from '@artist-watch/catalogue/port';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { PLANS, searchesPerDay } from '@artist-watch/domain/account/plans';
import { parseArtistAddress } from '@artist-watch/domain/platform/platform-address';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import { type Caller, withAllowance } from '../allowance.js';
import type { FollowShortLink } from '../input/short-links.js';
import { callPlatform } from '../platform-call.js';

/** Each account runs one search at a time, so that long lists do not block other accounts. */
const ACCOUNT_SEARCHES = { maxRunning: 1, maxWaiting: 8, maxWaitMs: 5_000 };
const SEARCHES = { maxRunning: 4, maxWaiting: 100, maxWaitMs: 5_000 };

export type ArtistSearch = ReturnType<typeof artistSearch>;

/** Searches share the poller's request budget, and due polls have priority (docs/adr/0027). */
export function artistSearch(client: PlatformClient, allowance: DailyAllowance, followLink: FollowShortLink) {
  const accountGates = new Gates(ACCOUNT_SEARCHES);
  const sharedGate = new Gate(SEARCHES);
  const search = (name: string, { accountId: account }: Caller) =>
    callPlatform(client.sourceName, (signal) => client.searchArtists(name, { signal, urgency: 'close', account }));
  const counted = <Result>({ accountId, plan }: Caller, now: Date, call: () => Promise<Result>): Promise<Result> => {
    const limit = { calls: searchesPerDay(PLANS[plan]), what: 'searches' };
    return accountGates.run(accountId, () =>
      sharedGate.run(() => withAllowance(allowance, accountId, limit, now, call)),
    );
  };
  return {
    /**
     * @returns the results in the platform's order
     * @throws ApiError `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    find(name: string, caller: Caller, now: Date): Promise<readonly FoundArtist[]> {
      return counted(caller, now, () => search(name, caller));
    },

    /** Uses one search of the daily allowance. @throws ApiError `daily_allowance_exceeded`, `upstream_…`, GateFull */
    async findId(platformId: string, caller: Caller, now: Date): Promise<FoundArtist | undefined> {
      const account = caller.accountId;
      const look = (signal: AbortSignal) => client.findArtist(platformId, { signal, urgency: 'close', account });
      const found = await counted(caller, now, () => callPlatform(client.sourceName, look));
      return found.kind === 'found' ? found.artist : undefined;
    },

    /**
     * Uses one search from the daily allowance.
     * @returns the artist's platform id
     * @throws ApiError `unsupported_url`, `daily_allowance_exceeded`, `upstream_…`, GateFull
     */
    async artistAt(link: URL, caller: Caller, now: Date): Promise<string> {
      const target = await counted(caller, now, () => followLink(link));
      const address = target === undefined ? undefined : parseArtistAddress(target, client.platform);
      if (address?.kind === 'artist') return address.artistId;
      throw new ApiError('unsupported_url', 'This short link does not point to an artist.');
    },
  };
}
