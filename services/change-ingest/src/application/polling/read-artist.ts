import type { Observation } from '@artist-watch/domain/catalogue';
import { findDifferences } from '@artist-watch/domain/detection/difference-search';
import { withoutIgnored } from '@artist-watch/domain/detection/difference-visibility';
import { type DirectAnswers, missingIds, NOTHING_ASKED } from '@artist-watch/domain/detection/direct-reads';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { DueArtist } from '@artist-watch/persistence/polling/due-artists';
import { digestOf, type Reading } from '../detection/reading.js';
import type { AskOptions, ReadingDepth, WatchedPlatform } from './ports.js';

export const UNREADABLE = 'What is stored of the artist cannot be read.';

export interface ReadingSources {
  readonly platform: WatchedPlatform;
  readonly clock: { now(): Date };
  /** What artists are compared with; one whose record cannot be read is left out. */
  loadDetections(artistIds: readonly ArtistId[], now: Date): Promise<ReadonlyMap<ArtistId, ArtistDetection>>;
}

export interface ArtistRequest {
  readonly due: DueArtist;
  readonly depth: ReadingDepth;
  /** What the artist is compared with; null where nobody needed it yet, and then it is loaded when something differs. */
  readonly loaded: ArtistDetection | null;
  readonly now: Date;
  readonly asking: AskOptions;
}

/**
 * Reads an artist, and asks the platform directly for everything that the reading shows to be absent: the second path
 * of the rule of absence (docs/reference/detection.md).
 */
export async function readArtist(
  { platform, clock, loadDetections }: ReadingSources,
  { due, depth, loaded, now, asking }: ArtistRequest,
): Promise<Reading> {
  const observation = storableObservation(await platform.readArtist(due.platformId, { depth, ...asking }));
  const digest = depth === 'shallow' ? digestOf(observation) : null;
  const source = due.closer === undefined ? 'poll' : 'closer';
  const reading = { artistId: due.id, observation, digest, source } as const;
  const unasked = { ...reading, directAnswers: NOTHING_ASKED };
  if (isAsBefore(due, digest) || observation.kind === 'incomplete') return unasked;

  const detection = loaded ?? (await loadDetections([due.id], now)).get(due.id);
  if (detection === undefined) throw new Error(UNREADABLE);
  const { baseline, suspicions, ignored } = detection;
  if (baseline === null) return unasked;
  // Followers are not judged here: they are never absent.
  const differences = findDifferences({ baseline, observation, suspicions, followersHistory: [] });
  const missing = missingIds(withoutIgnored(differences, ignored));
  const direct = { ...asking, artistPlatformId: due.platformId };
  const askForEach = async (kind: keyof DirectAnswers) => {
    const answers = [...missing[kind]].map(async (id) => [id, await platform.readDirectly(kind, id, direct)] as const);
    return new Map(await Promise.all(answers));
  };
  const [release, track] = await Promise.all([askForEach('release'), askForEach('track')]);
  if (release.size + track.size === 0) return { ...reading, directAnswers: { release, track } };
  // They belong to it. Whoever follows the changes by their time would miss one that is confirmed at a time that is past.
  return { ...reading, observation: { ...observation, observedAt: clock.now() }, directAnswers: { release, track } };
}

function isAsBefore(due: DueArtist, digest: Buffer | null): boolean {
  return digest !== null && due.digest !== null && digest.equals(due.digest) && !due.hasSuspicions;
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
