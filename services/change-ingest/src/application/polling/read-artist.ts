import type { Observation } from '@artist-watch/domain/catalogue';
import { findDifferences } from '@artist-watch/domain/detection/difference-search';
import { excludeIgnored } from '@artist-watch/domain/detection/difference-visibility';
import {
  type DirectAnswer,
  type DirectAnswers,
  missingIds,
  NO_DIRECT_READS,
} from '@artist-watch/domain/detection/direct-reads';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { DueArtist } from '@artist-watch/persistence/polling/due-artists';
import { type ArtistObservation, hashObservation } from '../detection/artist-observation.js';

export const UNREADABLE = 'The stored state of the artist cannot be parsed.';

export interface PollSources {
  readonly platform: WatchedPlatform;
  readonly clock: { now(): Date };
  /** Leaves out artists whose stored state cannot be parsed. */
  loadDetections(artistIds: readonly ArtistId[], now: Date): Promise<ReadonlyMap<ArtistId, ArtistDetection>>;
}

export interface ArtistRequest {
  readonly due: DueArtist;
  readonly depth: PollDepth;
  /** Null if the stored state wasn't needed for planning. */
  readonly loaded: ArtistDetection | null;
  readonly now: Date;
  readonly requestOptions: RequestOptions;
}

/** Polls an artist, then requests missing releases and tracks by id (rule `absence`, docs/reference/detection.md). */
export async function readArtist(
  { platform, clock, loadDetections }: PollSources,
  { due, depth, loaded, now, requestOptions }: ArtistRequest,
): Promise<ArtistObservation> {
  const observation = storableObservation(await platform.readArtist(due.platformId, { depth, ...requestOptions }));
  const digest = depth === 'shallow' ? hashObservation(observation) : null;
  const source = due.closer === undefined ? 'poll' : 'closer';
  const reading = { artistId: due.id, observation, digest, source } as const;
  const withoutDirectReads = { ...reading, directAnswers: NO_DIRECT_READS };
  const isUnchanged = !due.hasSuspicions && digest !== null && due.digest !== null && digest.equals(due.digest);
  if (isUnchanged || observation.kind === 'incomplete') return withoutDirectReads;

  const detection = loaded ?? (await loadDetections([due.id], now)).get(due.id);
  if (detection === undefined) throw new Error(UNREADABLE);
  const { baseline, suspicions, ignored } = detection;
  if (baseline === null) return withoutDirectReads;
  // The follower history can stay empty, because only missing releases and tracks matter here.
  const differences = findDifferences({ baseline, observation, suspicions, followersHistory: [] });
  const missing = missingIds(excludeIgnored(differences, ignored));
  const direct = { ...requestOptions, artistPlatformId: due.platformId };
  const readEach = async (kind: keyof DirectAnswers) => {
    const answers = [...missing[kind]].map(async (id) => [id, await platform.readDirectly(kind, id, direct)] as const);
    return new Map(await Promise.all(answers));
  };
  const [release, track] = await Promise.all([readEach('release'), readEach('track')]);
  if (release.size + track.size === 0) return { ...reading, directAnswers: { release, track } };
  // Use the time after the direct reads. If it were earlier, clients that page by time could miss a change.
  return { ...reading, observation: { ...observation, observedAt: clock.now() }, directAnswers: { release, track } };
}

/** Matches the JSON escapes for NUL and for lone surrogates, which PostgreSQL cannot store. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const UNSTORABLE_CHARACTERS = /\0|\p{Surrogate}/gu;

/**
 * Removes characters that PostgreSQL cannot store, so that the observation we compare is the same as the one we store.
 */
export function storableObservation(observation: Observation): Observation {
  if (observation.kind !== 'complete') return observation;
  if (!UNSTORABLE.test(JSON.stringify(observation.state))) return observation;
  return { ...observation, state: cleaned(observation.state) };
}

function cleaned<Value>(value: Value): Value {
  if (typeof value === 'string') return value.replace(UNSTORABLE_CHARACTERS, '') as Value;
  if (Array.isArray(value)) return value.map(cleaned) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cleaned(part)])) as Value;
}

/**
 * Releases in `deepReleaseIds` and `fullReleaseIds` are requested individually. For `fullReleaseIds`, each track is
 * requested too. All other releases are only read from the artist's list.
 */
export type PollDepth =
  | 'shallow'
  | { readonly deepReleaseIds: readonly string[]; readonly fullReleaseIds: readonly string[] };

export interface RequestOptions {
  readonly signal: AbortSignal;
  /**
   * `due` requests go first, `close` requests get a share of the budget, and `spare` requests fail if nothing is left.
   */
  readonly urgency: 'due' | 'close' | 'spare';
  readonly account?: AccountId | undefined;
}

/**
 * Implemented by `PlatformClient` (packages/catalogue/src/port.ts). If the platform fails, observations are `incomplete`
 * and direct reads are `unknown`.
 */
interface WatchedPlatform {
  readonly listsMarkets: boolean;
  readArtist(platformId: string, options: RequestOptions & { readonly depth: PollDepth }): Promise<Observation>;
  readDirectly(
    kind: 'release' | 'track',
    platformId: string,
    options: RequestOptions & { readonly artistPlatformId: string },
  ): Promise<DirectAnswer>;
}
