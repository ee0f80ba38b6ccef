import type { Observation } from '@artist-watch/domain/catalogue';
import type { Difference } from '@artist-watch/domain/change/difference';
import { findDifferences } from '@artist-watch/domain/detection/difference-search';
import { withoutIgnored } from '@artist-watch/domain/detection/difference-visibility';
import { directReadOfMarkets } from '@artist-watch/domain/detection/follow-up-reading';
import type { DirectRead } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { DueArtist } from '@artist-watch/persistence/polling/due-artists';
import { digestOf, type Reading } from '../detection/reading.js';
import type { ReadingDepth, WatchedPlatform } from './ports.js';

export interface ArtistRequest {
  readonly due: DueArtist;
  readonly depth: ReadingDepth;
  readonly signal: AbortSignal;
  /** What the artist is compared with; asked for only when something differs. */
  detection(): Promise<ArtistDetection>;
}

/**
 * Reads an artist, and asks the platform directly for everything that the reading shows to be absent: the second path
 * of the rule of absence (docs/reference/detection.md).
 */
export async function readArtist(platform: WatchedPlatform, request: ArtistRequest): Promise<Reading> {
  const { due, depth, signal } = request;
  const observation = storableObservation(await platform.readArtist(due.platformId, { depth, signal }));
  const digest = depth === 'shallow' ? digestOf(observation) : null;
  const source = due.closer === undefined ? 'poll' : 'closer';
  const reading = { artistId: due.id, observation, digest, source } as const;
  if (isAsBefore(due, digest) || observation.kind === 'incomplete') return { ...reading, directRead: () => undefined };

  const { baseline, suspicions, ignored } = await request.detection();
  if (baseline === null) return { ...reading, directRead: () => undefined };
  // Followers are not judged here: they are never absent.
  const differences = findDifferences({ baseline, observation, suspicions, followersHistory: [] });
  const absences = withoutIgnored(differences, ignored).filter(({ rule }) => rule === 'absence');
  const asked = absences.map((one) => readDirectly(platform, one, observation, signal));
  const answers = await Promise.all(asked);
  const byKey = new Map(absences.map(({ key }, index) => [key, answers[index]]));
  return { ...reading, directRead: ({ key }) => byKey.get(key) };
}

function isAsBefore(due: DueArtist, digest: Buffer | null): boolean {
  return digest !== null && due.digest !== null && digest.equals(due.digest) && !due.hasSuspicions;
}

async function readDirectly(
  platform: WatchedPlatform,
  difference: Difference,
  observation: Observation,
  signal: AbortSignal,
): Promise<DirectRead | undefined> {
  switch (difference.type) {
    case 'release_removed':
    case 'release_replaced':
      return platform.readReleaseDirectly(difference.entityId, { signal });
    case 'track_removed':
      return platform.readTrackDirectly(difference.entityId, { signal });
    case 'availability_reduced':
      // Markets are known only from a reading of the release by itself, which this one was.
      return observation.kind === 'complete' ? directReadOfMarkets(difference, observation.state.releases) : undefined;
    default:
      // That an artist is gone was asked three times already.
      return undefined;
  }
}

/** NUL and lone surrogates, as JSON.stringify writes them: the record cannot keep either. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const UNSTORABLE_CHARACTERS = /\0|\p{Surrogate}/gu;

/** The observation with such characters left out of every text, so that it is stored as it is compared. */
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
