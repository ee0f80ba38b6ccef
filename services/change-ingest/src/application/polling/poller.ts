import type { CatalogueState, Observation } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { CloserClaim, DueArtist, DueArtists, ReadingKind } from '@artist-watch/persistence/polling/due-artists';
import type { ProcessedReading, ReadingIntake } from '../detection/settlement.js';
import { nextCloserReading } from './closer-reading.js';
import { DeferredReads } from './deferred-reads.js';
import type { AskOptions, PlatformPause, ReadingDepth } from './ports.js';
import { type ReadingSources, readArtist, UNREADABLE } from './read-artist.js';
import {
  needsCatalogue,
  planReading,
  type ReadingPlan,
  type ReadingRotations,
  releasesReadClosely,
  urgencyOf,
} from './reading-plan.js';

export interface PollerOptions extends ReadingSources {
  readonly due: DueArtists;
  readonly pause: PlatformPause;
  readonly intake: ReadingIntake;
  readonly rotations: ReadingRotations;
  /** Artists with a usual reading that are read at once; a quarter of it, beside them, for each other kind. */
  readonly concurrency: number;
  readonly log: PollLog;
  readonly tracing: Tracing;
}

interface UnderWay {
  readonly kind: ReadingKind;
  readonly account: DueArtist['account'];
  /** Never rejects. */
  readonly ended: Promise<void>;
}

export interface PolledArtist {
  readonly due: DueArtist;
  readonly depth: ReadingDepth;
  readonly durationMs: number;
  readonly processed: ProcessedReading;
}

export interface PollLog {
  polled(artist: PolledArtist): void;
  failed(due: DueArtist, error: unknown): void;
}

/** Of places for first readings and for learning, so that neither waits behind the other, nor behind any backlog. */
const FEWEST_PLACES = 2;

/** The releases of an artist that one reading reads by themselves; the others wait for the next readings. */
const MOST_READ_CLOSELY = 50;

/**
 * Reads the artists that are due, several at a time.
 *
 * ```
 * due ─claim─▶ claimed ─read─▶ reading ─process─▶ settled, and due again later
 *                 │ stopped: given back          │ failed: the claim runs out, and it is due again
 * ```
 */
export class Poller {
  readonly #options: PollerOptions;
  readonly #deferred = new DeferredReads();
  readonly #underWay = new Map<ArtistId, UnderWay>();
  readonly #running = new Map<ReadingKind, Promise<void>>();
  /** Kinds for which a run was requested during their run: more may be due than its last claim could see. */
  readonly #wantedAgain = new Set<ReadingKind>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** How many artists are being read. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Claims and begins to read until nothing more is due, the platform wants a pause, or the signal is aborted. */
  async run(kind: ReadingKind, signal: AbortSignal): Promise<void> {
    if (this.#running.has(kind)) {
      this.#wantedAgain.add(kind);
      return;
    }
    const run = this.#run(kind, signal).finally(() => this.#running.delete(kind));
    this.#running.set(kind, run);
    await run;
  }

  async #run(kind: ReadingKind, signal: AbortSignal): Promise<void> {
    const { due, clock, pause, concurrency } = this.#options;
    const places = kind === 'usual' ? concurrency : Math.max(FEWEST_PLACES, Math.ceil(concurrency / 4));
    const mostOfAccount = mostReadingsOfAccount(places);
    while (!signal.aborted && (await pause.remainingMs()) === 0) {
      this.#wantedAgain.delete(kind);
      const processed = [...this.#underWay.values()].filter((reading) => reading.kind === kind);
      const free = places - processed.length;
      // A claim for a few is worth its round trip.
      if (free < Math.ceil(places / 4)) {
        await Promise.race(processed.map(({ ended }) => ended));
        continue;
      }
      const now = clock.now();
      const claimed = await due.claim(kind, free, mostOfAccount, now, countByAccount(processed));
      await this.#begin(kind, claimed, now, signal);
      if (claimed.length < free && !this.#wantedAgain.has(kind)) return;
    }
  }

  /** Keeps the claims of what is being read. */
  async renewClaims(): Promise<void> {
    const { due, clock } = this.#options;
    if (this.#underWay.size > 0) await due.renew([...this.#underWay.keys()], clock.now());
  }

  /** Resolves when nothing is being read any more, what readings claimed at their end included; never rejects. */
  async settled(): Promise<void> {
    while (this.#underWay.size + this.#running.size > 0) {
      await Promise.allSettled([...this.#running.values(), ...[...this.#underWay.values()].map(({ ended }) => ended)]);
    }
  }

  async #begin(kind: ReadingKind, claimed: readonly DueArtist[], now: Date, signal: AbortSignal): Promise<void> {
    const { rotations, log, loadDetections, tracing } = this.#options;
    const closer = claimed.filter((due) => this.#deferred.has(due.id) || needsCatalogue(due, rotations, now));
    const ids = closer.map(({ id }) => id);
    const detections = await loadDetections(ids, now);
    const unreadable = closer.filter(({ id }) => !detections.has(id));
    for (const due of unreadable) log.failed(due, new Error(UNREADABLE));
    for (const due of claimed) {
      if (unreadable.includes(due)) continue;
      const asking = { signal, urgency: urgencyOf(kind, due), account: due.account ?? undefined };
      const trace = { parent: null, attributes: { 'artist.id': due.id } };
      const ended = tracing
        .span('artist.poll', trace, () => this.#poll(due, detections.get(due.id) ?? null, now, asking))
        .catch((error: unknown) => this.#giveUp(due, error, signal))
        .finally(() => {
          this.#underWay.delete(due.id);
          // An account that was at its limit has its next artists claimed at once. If the database is away, the next run
          // finds them, and logs it.
          return this.#hasRoomAgain(kind, due.account) ? this.run(kind, signal).catch(() => undefined) : undefined;
        });
      this.#underWay.set(due.id, { kind, account: due.account, ended });
    }
  }

  /** True after a reading of an account that may have been at its limit. */
  #hasRoomAgain(kind: ReadingKind, account: DueArtist['account']): boolean {
    switch (kind) {
      case 'first':
      case 'learning':
        return true;
      case 'closer':
        return false;
      case 'usual': {
        const others = [...this.#underWay.values()].filter((one) => one.kind === kind && one.account === account);
        // Only once, when a claim for a few is worth its round trip.
        return others.length === Math.floor(mostReadingsOfAccount(this.#options.concurrency) * 0.75);
      }
    }
  }

  async #poll(due: DueArtist, loaded: ArtistDetection | null, now: Date, asking: AskOptions): Promise<void> {
    const { platform, intake, rotations, log } = this.#options;
    const beganAtMs = performance.now();
    const options = {
      limit: MOST_READ_CLOSELY,
      deferred: this.#deferred.of(due.id),
      givenUp: this.#deferred.givenUp(due.id),
      listsMarkets: platform.listsMarkets,
    };
    const plan = planReading(due, loaded, rotations, options, now);
    const { depth } = plan;
    const reading = await readArtist(this.#options, { due, depth, loaded, now, asking });
    if (due.closer !== undefined && reading.observation.kind === 'incomplete') {
      await this.#giveBack(due, due.closer);
      return;
    }
    const processed = await intake.process(reading);
    this.#settleTurns(due, plan, reading.observation);
    if (due.closer !== undefined) {
      const releaseIds = loaded?.baseline?.releases.map(({ platformId }) => platformId) ?? [];
      await this.#options.due.scheduleCloser(due.id, due.closer.depth, nextCloserReading(due.closer, releaseIds, now));
    }
    log.polled({ due, depth, durationMs: performance.now() - beganAtMs, processed });
  }

  /** A closer reading that nothing was left over for is no failed poll: it waits, and the poll comes at its own time. */
  async #giveBack({ id }: DueArtist, reading: CloserClaim): Promise<void> {
    const { due, clock } = this.#options;
    await due.scheduleCloser(id, reading.depth, nextCloserReading(reading, undefined, clock.now()));
    await due.release([id]);
  }

  /** After an incomplete reading all turns stand as they did: the next one begins at the same place of the rotation. */
  #settleTurns({ id }: DueArtist, { depth, turns }: ReadingPlan, observation: Observation): void {
    if (observation.kind === 'incomplete') return;
    const read = observation.kind === 'complete' ? releasesReadIn(observation.state) : [...turns.keys()];
    this.#deferred.settle(id, { turns, asked: releasesReadClosely(depth), read });
  }

  async #giveUp(due: DueArtist, error: unknown, signal: AbortSignal): Promise<void> {
    const { due: artists, log } = this.#options;
    if (!signal.aborted) {
      // Whatever the fault, it comes again at once at the next try: the claim runs out first.
      log.failed(due, error);
      return;
    }
    await artists.release([due.id]).catch((releaseError: unknown) => log.failed(due, releaseError));
  }
}

/** Half of the places, so that the longest readings of one account leave the other half to the others. */
function mostReadingsOfAccount(places: number): number {
  return Math.max(1, Math.floor(places / 2));
}

function countByAccount(readings: readonly UnderWay[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { account } of readings) if (account) counts[account] = (counts[account] ?? 0) + 1;
  return counts;
}

function releasesReadIn({ releases }: CatalogueState): string[] {
  return releases.filter(({ tracks }) => tracks !== undefined).map(({ platformId }) => platformId);
}
