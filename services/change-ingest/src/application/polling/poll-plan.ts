import { createHash } from 'node:crypto';
import { planFollowUp } from '@artist-watch/domain/detection/follow-up-plan';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type {
  CloserClaim,
  CloserDepth,
  DueArtist,
  NextCloserPoll,
  ReadingKind,
} from '@artist-watch/persistence/polling/due-artists';
import type { DueDepth, DueReleases } from './deferred-reads.js';
import type { PollDepth, RequestOptions } from './read-artist.js';

/** How often details are read, unless a suspicion requires them earlier. */
export interface PollRotations {
  readonly deep: Rotation;
  readonly full: Rotation;
}

export function needsCatalogue(due: DueArtist, rotations: PollRotations, now: Date): boolean {
  if (due.lastCompleteAt === null) return false;
  if (due.closer !== undefined) return true;
  if (due.hasSuspicions || due.digest === null || due.digest.length === 0) return true;
  // Check both rotations, because often only one of them is due.
  const { id, lastCompleteAt } = due;
  const isDue = partsDue(rotations.deep, id, lastCompleteAt, now).size > 0;
  return isDue || partsDue(rotations.full, id, lastCompleteAt, now).size > 0;
}

export interface PollPlan {
  readonly depth: PollDepth;
  /** Releases that were due, deferred or never read in detail. `depth` may omit some because of the limit. */
  readonly dueReleases: DueReleases;
}

export interface PlanOptions {
  readonly limit: number;
  readonly deferred: DueReleases;
  readonly givenUp: ReadonlySet<string>;
  readonly listsMarkets: boolean;
}

/**
 * Selects the releases to read in detail: first releases with suspected changes, then the releases in a `closer` claim,
 * then due releases.
 *
 * @param detection null if `needsCatalogue` returned false.
 */
export function planPoll(
  due: DueArtist,
  detection: ArtistDetection | null,
  rotations: PollRotations,
  { limit, deferred, givenUp, listsMarkets }: PlanOptions,
  now: Date,
): PollPlan {
  if (detection?.baseline == null) return { depth: 'shallow', dueReleases: deferred };
  const { releases } = detection.baseline;
  const followUp = planFollowUp(
    detection.suspicions.map(({ difference }) => difference),
    { releases, listsMarkets },
  );
  const releaseIds: string[] = [];
  const neverRead: [string, DueDepth][] = [];
  for (const { platformId, tracks } of releases) {
    releaseIds.push(platformId);
    if (tracks === undefined && !givenUp.has(platformId)) neverRead.push([platformId, 'deep']);
  }
  const dueReleases = new Map([...neverRead, ...findDueReleases(due, releaseIds, rotations, deferred, now)]);
  const closer = due.closer === undefined ? [] : releasesOfPoll(due.closer, releaseIds);
  const wanted = new Set([
    ...shuffled([...followUp.fullReleaseIds, ...followUp.deepReleaseIds], now),
    ...closer,
    ...shuffled([...dueReleases.keys()], now),
  ]);
  if (wanted.size === 0) return { depth: 'shallow', dueReleases };
  const depth = { deepReleaseIds: [] as string[], fullReleaseIds: [] as string[] };
  for (const id of [...wanted].slice(0, limit)) {
    const isFull = followUp.fullReleaseIds.includes(id) || dueReleases.get(id) === 'full';
    const isFullCloser = due.closer?.depth === 'full' && closer.includes(id);
    depth[isFull || isFullCloser ? 'fullReleaseIds' : 'deepReleaseIds'].push(id);
  }
  return { depth, dueReleases };
}

function findDueReleases(
  { id, lastCompleteAt }: DueArtist,
  releaseIds: readonly string[],
  rotations: PollRotations,
  deferred: DueReleases,
  now: Date,
): DueReleases {
  const dueReleases = new Map<string, DueDepth>();
  for (const depth of ['deep', 'full'] as const) {
    const rotation = rotations[depth];
    const parts = partsDue(rotation, id, lastCompleteAt, now);
    for (const releaseId of releaseIds) {
      if (deferred.get(releaseId) === depth || parts.has(partOf(rotation, releaseId)))
        dueReleases.set(releaseId, depth);
    }
  }
  return dueReleases;
}

export function urgencyOf(kind: ReadingKind, { rank = 1 }: DueArtist): RequestOptions['urgency'] {
  switch (kind) {
    case 'usual':
      return 'due';
    case 'first':
      // An account that adds many artists must not delay other accounts any more than one that adds a single artist.
      return rank === 1 ? 'due' : 'close';
    case 'learning':
      return 'close';
    case 'closer':
      return 'spare';
  }
}

export function releasesReadClosely(depth: PollDepth): readonly string[] {
  return depth === 'shallow' ? [] : [...depth.deepReleaseIds, ...depth.fullReleaseIds];
}

/** Shuffles differently in each poll, so that it isn't always the same releases that exceed the limit. */
function shuffled(ids: readonly string[], now: Date): string[] {
  const places = new Map(ids.map((id) => [id, fractionOf(`${id} ${now.getTime()}`)]));
  return ids.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

interface Rotation {
  readonly cycleMs: number;
  readonly parts: number;
}

const HOUR_MS = 3_600_000;

/** @param intervalFactor POLL_INTERVAL_FACTOR, which also scales the cycle. */
export function rotationOfHours(hours: number, intervalFactor: number): Rotation {
  return { cycleMs: Math.max(hours, hours * HOUR_MS * intervalFactor), parts: hours };
}

/**
 * With intervals of up to 6 h, no part is skipped. With longer intervals, some parts are skipped, because reading all
 * of them would cost a hundred times as much as reading the list.
 */
const MAX_PARTS = 6;

/** Returns up to MAX_PARTS parts that have become due since the last complete observation. */
export function partsDue(
  { cycleMs, parts }: Rotation,
  artistId: string,
  lastCompleteAt: Date | null,
  now: Date,
): ReadonlySet<number> {
  const partMs = cycleMs / parts;
  // Without this offset, detailed reads would be due in the same minute for all artists.
  const offsetMs = fractionOf(artistId) * cycleMs;
  const stepAt = (instant: Date) => Math.floor((instant.getTime() + offsetMs) / partMs);
  const last = stepAt(now);
  const cycleStart = last - parts + 1;
  const first = lastCompleteAt === null ? cycleStart : Math.max(stepAt(lastCompleteAt) + 1, cycleStart);
  const steps: number[] = [];
  for (let step = first; step <= last; step += 1) steps.push(step);
  return new Set(sampleSteps(steps, artistId).map((step) => step % parts));
}

function sampleSteps(steps: readonly number[], artistId: string): readonly number[] {
  if (steps.length <= MAX_PARTS) return steps;
  const places = new Map(steps.map((step) => [step, fractionOf(`${artistId} ${step}`)]));
  return steps.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)).slice(0, MAX_PARTS);
}

export function partOf({ parts }: Rotation, releaseId: string): number {
  return Math.floor(fractionOf(releaseId) * parts);
}

/** Hashes a string to a number from 0 (inclusive) to 1 (exclusive). */
function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/** Polling this many releases takes about 20 requests to Deezer, so it hardly delays regular polls. */
const RELEASES_PER_POLL: Readonly<Record<CloserDepth, number>> = { deep: 10, full: 3 };

/**
 * Going through all releases should take this fraction of the plan's interval. The rest of the interval allows for
 * delays.
 */
const CYCLE_SHARE = 0.8;

const RETRY_AFTER_MS = 60_000;

/** Returns the next releases after the cursor `after`, ordered by id. */
export function releasesOfPoll({ depth, after }: CloserClaim, releaseIds: readonly string[]): readonly string[] {
  const following = releaseIds.toSorted().filter((id) => after === null || id > after);
  return following.slice(0, RELEASES_PER_POLL[depth]);
}

/** @param releaseIds all known releases; undefined if this poll got no usable response. */
export function nextCloserPoll(
  reading: CloserClaim,
  releaseIds: readonly string[] | undefined,
  now: Date,
): NextCloserPoll {
  const { after, intervalMs } = reading;
  if (releaseIds === undefined) return { at: later(now, Math.min(RETRY_AFTER_MS, intervalMs)), after };
  const read = releasesOfPoll(reading, releaseIds);
  const last = read.at(-1);
  const isEnd = last === undefined || !releaseIds.some((id) => id > last);
  const share = releaseIds.length === 0 ? 1 : read.length / releaseIds.length;
  return { at: later(now, share * CYCLE_SHARE * intervalMs), after: isEnd ? null : last };
}

function later(now: Date, durationMs: number): Date {
  return new Date(now.getTime() + Math.max(1, Math.round(durationMs)));
}
