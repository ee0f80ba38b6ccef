import type { PlatformClient } from '@artist-watch/catalogue/port';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { type Lookup, presentTrack, type Reverse, type Tools } from '@artist-watch/contracts/api/tools';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';
import type { Clock } from '@artist-watch/runtime/clock';
import { allowanceResetsAt, type Caller, withAllowance } from './allowance.js';
import type { FollowShortLink } from './input/short-links.js';
import { parseTrackInput, resolveTrackId } from './input/track-input.js';
import { callPlatform } from './platform-call.js';

export type TrackLookup = ReturnType<typeof createTrackLookup>;

/** Calls with invalid input don't use up the allowance, nor do calls that fail on the platform's side. */
export function createTrackLookup(ports: {
  readonly allowance: DailyAllowance;
  /** Uses the read pool, so that it doesn't have to wait for writes. */
  readonly usage: Pick<DailyAllowance, 'used'>;
  readonly client: Pick<PlatformClient, 'sourceName' | 'lookupTrack' | 'findTracksByIsrc'>;
  readonly platform: Platform;
  readonly follow: FollowShortLink;
  readonly clock: Clock;
}) {
  const { allowance, usage, client, platform, follow, clock } = ports;
  const { sourceName } = client;
  const planLimit = ({ plan }: Caller) => ({ calls: PLANS[plan].toolCallsPerDay, what: 'tool calls' });
  const sourceNow = () => ({ name: sourceName, retrieved_at: clock.now().toISOString() });
  return {
    /** @throws ApiError */
    async lookup(text: string, caller: Caller, now: Date): Promise<Lookup> {
      const input = parseTrackInput(text, platform);
      const track = await withAllowance(allowance, caller.accountId, planLimit(caller), now, async () => {
        const trackId = await resolveTrackId(input, platform, follow);
        const found = await callPlatform(sourceName, (signal) =>
          client.lookupTrack(trackId, { signal, account: caller.accountId }),
        );
        if (found.kind === 'found') return found.track;
        throw new ApiError('track_not_found', `This track does not exist on ${sourceName}.`);
      });
      return { isrc: track.isrc ?? null, track: presentTrack(track), source: sourceNow() };
    },

    /** @throws ApiError */
    async reverse(text: string, caller: Caller, now: Date): Promise<Reverse> {
      const isrc = normaliseIsrc(text);
      if (isrc === null) throw new ApiError('invalid_isrc', '"isrc" must be an ISRC such as USRC17607839.');
      const [first, ...more] = await withAllowance(allowance, caller.accountId, planLimit(caller), now, async () => {
        const found = await callPlatform(sourceName, (signal) =>
          client.findTracksByIsrc(isrc, { signal, account: caller.accountId }),
        );
        if (found.kind === 'found') return found.tracks;
        throw new ApiError('track_not_found', `No track on ${sourceName} has this ISRC.`);
      });
      return { isrc, track: presentTrack(first), matches: [first, ...more].map(presentTrack), source: sourceNow() };
    },

    /** Counts the calls made on the UTC day of `now`. */
    async allowance({ accountId, plan }: Caller, now: Date): Promise<Tools['allowance']> {
      const limit = PLANS[plan].toolCallsPerDay;
      const used = await usage.used(accountId, now);
      return { limit, used, remaining: Math.max(0, limit - used), resets_at: allowanceResetsAt(now).toISOString() };
    },
  };
}
