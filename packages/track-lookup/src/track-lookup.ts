import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Lookup, Reverse, Tools } from '@artist-watch/contracts/api/tools';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import { normaliseIsrc } from '@artist-watch/domain/platform/isrc';
import type { DailyAllowance } from '@artist-watch/persistence/account/daily-allowance';
import type { Clock } from '@artist-watch/runtime/clock';
import { allowanceResetsAt, type Caller, withAllowance } from './allowance/with-allowance.js';
import type { FollowShortLink } from './input/short-links.js';
import { parseTrackInput, trackIdOf } from './input/track-input.js';
import { type TrackSource, toTrackItem } from './track-source.js';

/** The tools of one account's plan. What a caller sends wrong costs nothing, and so does what nobody could answer. */
export interface TrackLookup {
  /** Finds a track, and its ISRC, by its address. @throws ApiError */
  lookup(input: string, caller: Caller, now: Date): Promise<Lookup>;
  /** Finds the tracks with an ISRC. @throws ApiError */
  reverse(isrc: string, caller: Caller, now: Date): Promise<Reverse>;
  /** What is left of the UTC day of `now`. */
  allowance(caller: Caller, now: Date): Promise<Tools['allowance']>;
}

export function createTrackLookup(ports: {
  /** Takes calls and gives them back. */
  readonly allowance: DailyAllowance;
  /** Reads what is used, on connections that do not wait for writes. */
  readonly usage: Pick<DailyAllowance, 'used'>;
  readonly source: TrackSource;
  readonly platform: Platform;
  readonly follow: FollowShortLink;
  readonly clock: Clock;
}): TrackLookup {
  const { allowance, usage, source, platform, follow, clock } = ports;
  const ofPlan = ({ plan }: Caller) => ({ calls: PLANS[plan].toolCallsPerDay, what: 'tool calls' });
  const sourceNow = () => ({ name: source.sourceName, retrieved_at: clock.now().toISOString() });
  return {
    async lookup(text, caller, now) {
      const input = parseTrackInput(text, platform);
      const track = await withAllowance(allowance, caller.accountId, ofPlan(caller), now, async () => {
        const found = await source.findTrack(await trackIdOf(input, platform, follow));
        if (found) return found;
        throw new ApiError('track_not_found', `${source.sourceName} has no such track.`);
      });
      return { isrc: track.isrc ?? null, track: toTrackItem(track), source: sourceNow() };
    },

    async reverse(text, caller, now) {
      const isrc = normaliseIsrc(text);
      if (isrc === null) throw new ApiError('invalid_isrc', '"isrc" must be an ISRC such as USRC17607839.');
      const [first, ...more] = await withAllowance(allowance, caller.accountId, ofPlan(caller), now, async () => {
        const [track, ...others] = await source.findTracks(isrc);
        if (track) return [track, ...others] as const;
        throw new ApiError('track_not_found', `${source.sourceName} knows no track with this ISRC.`);
      });
      return { isrc, track: toTrackItem(first), matches: [first, ...more].map(toTrackItem), source: sourceNow() };
    },

    async allowance({ accountId, plan }, now) {
      const limit = PLANS[plan].toolCallsPerDay;
      const used = await usage.used(accountId, now);
      return { limit, used, remaining: Math.max(0, limit - used), resets_at: allowanceResetsAt(now).toISOString() };
    },
  };
}
