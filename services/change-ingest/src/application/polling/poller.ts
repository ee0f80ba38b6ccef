import type { Observation } from '@artist-watch/domain/catalogue';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { CloserClaim, DueArtist, DueArtists, ReadingKind } from '@artist-watch/persistence/polling/due-artists';
import type { ObservationIntake, ProcessedObservation } from '../detection/settlement.js';
import { DeferredReads } from './deferred-reads.js';
import {
  needsCatalogue,
  nextCloserPoll,
  type PollPlan,
  type PollRotations,
  planPoll,
  releasesReadClosely,
  urgencyOf,
} from './poll-plan.js';
import { type PollDepth, type PollSources, type RequestOptions, readArtist, UNREADABLE } from './read-artist.js';

export interface PollerOptions extends PollSources {
  readonly due: DueArtists;
  readonly pause: PlatformPause;
  readonly intake: ObservationIntake;
  readonly rotations: PollRotations;
  /** Number of slots for `usual` polls. Every other kind has a quarter as many, but at least MIN_SLOTS. */
  readonly concurrency: number;
  readonly log: PollLog;
  readonly tracing: Tracing;
}

/** A pause in all requests, required by the platform or by our request budget. */
export interface PlatformPause {
  /** Returns 0 if a request is allowed now. */
  remainingMs(): Promise<number>;
}

interface RunningPoll {
  readonly kind: ReadingKind;
  readonly account: DueArtist['account'];
  readonly ended: Promise<void>;
}

export interface PolledArtist {
  readonly due: DueArtist;
  readonly depth: PollDepth;
  readonly durationMs: number;
  readonly processed: ProcessedObservation;
}

export interface PollLog {
  polled(artist: PolledArtist): void;
  failed(due: DueArtist, error: unknown): void;
}

/** Each kind has its own slots, so it never has to wait for another kind's backlog. */
const MIN_SLOTS = 2;

const MAX_DEEP_READS = 50;

/**
 * Polls due artists, several at a time.
 *
 * ```
 * due ─claim─▶ claimed ─read─▶ observed ─process─▶ settled, due again later
 *                 │ stopped: claim released        │ failed: claim expires, due again
 * ```
 */
export class Poller {
  readonly #options: PollerOptions;
  readonly #deferred = new DeferredReads();
  readonly #underWay = new Map<ArtistId, RunningPoll>();
  readonly #running = new Map<ReadingKind, Promise<void>>();
  /** Kinds that must claim once more after the current run, because more artists may be due by then. */
  readonly #requestedAgain = new Set<ReadingKind>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /**
   * Starts polls until no artist is due, requests are paused, or `signal` is aborted. If a run of the same kind is
   * already in progress, makes that run claim again instead.
   */
  async run(kind: ReadingKind, signal: AbortSignal): Promise<void> {
    if (this.#running.has(kind)) {
      this.#requestedAgain.add(kind);
      return;
    }
    const run = this.#run(kind, signal).finally(() => this.#running.delete(kind));
    this.#running.set(kind, run);
    await run;
  }

  async #run(kind: ReadingKind, signal: AbortSignal): Promise<void> {
    const { due, clock, pause, concurrency } = this.#options;
    const slots = kind === 'usual' ? concurrency : Math.max(MIN_SLOTS, Math.ceil(concurrency / 4));
    const maxPerAccount = maxPollsPerAccount(slots);
    while (!signal.aborted && (await pause.remainingMs()) === 0) {
      this.#requestedAgain.delete(kind);
      const running = [...this.#underWay.values()].filter((poll) => poll.kind === kind);
      const free = slots - running.length;
      // Each claim costs a round trip, so wait until a quarter of the slots are free.
      if (free < Math.ceil(slots / 4)) {
        await Promise.race(running.map(({ ended }) => ended));
        continue;
      }
      const now = clock.now();
      const claimed = await due.claim(kind, free, maxPerAccount, now, countByAccount(running));
      await this.#begin(kind, claimed, now, signal);
      if (claimed.length < free && !this.#requestedAgain.has(kind)) return;
    }
  }

  async renewClaims(): Promise<void> {
    const { due, clock } = this.#options;
    if (this.#underWay.size > 0) await due.renew([...this.#underWay.keys()], clock.now());
  }

  /** Resolves when no poll is running. Never rejects. */
  async settled(): Promise<void> {
    while (this.#underWay.size + this.#running.size > 0) {
      await Promise.allSettled([...this.#running.values(), ...[...this.#underWay.values()].map(({ ended }) => ended)]);
    }
  }

  async #begin(kind: ReadingKind, claimed: readonly DueArtist[], now: Date, signal: AbortSignal): Promise<void> {
    const { rotations, log, loadDetections, tracing } = this.#options;
    const needed = new Set<ArtistId>();
    for (const due of claimed) {
      if (this.#deferred.of(due.id).due.size > 0 || needsCatalogue(due, rotations, now)) needed.add(due.id);
    }
    const detections = await loadDetections([...needed], now);
    for (const due of claimed) {
      if (needed.has(due.id) && !detections.has(due.id)) {
        log.failed(due, new Error(UNREADABLE));
        continue;
      }
      const requestOptions = { signal, urgency: urgencyOf(kind, due), account: due.account ?? undefined };
      const trace = { parent: null, attributes: { 'artist.id': due.id } };
      const ended = tracing
        .span('artist.poll', trace, () => this.#poll(due, detections.get(due.id) ?? null, now, requestOptions))
        .catch((error: unknown) => this.#giveUp(due, error, signal))
        .finally(() => {
          this.#underWay.delete(due.id);
          // Claim again, because the account may have been at its limit. If this fails, the next regular run will
          // report the error.
          return this.#hasRoomAgain(kind, due.account) ? this.run(kind, signal).catch(() => undefined) : undefined;
        });
      this.#underWay.set(due.id, { kind, account: due.account, ended });
    }
  }

  #hasRoomAgain(kind: ReadingKind, account: DueArtist['account']): boolean {
    switch (kind) {
      case 'first':
      case 'learning':
        return true;
      case 'closer':
        return false;
      case 'usual': {
        const others = [...this.#underWay.values()].filter((poll) => poll.kind === kind && poll.account === account);
        // Each claim costs a round trip, so wait until a quarter of the account's slots are free.
        return others.length === Math.floor(maxPollsPerAccount(this.#options.concurrency) * 0.75);
      }
    }
  }

  async #poll(
    due: DueArtist,
    loaded: ArtistDetection | null,
    now: Date,
    requestOptions: RequestOptions,
  ): Promise<void> {
    const { platform, intake, rotations, log } = this.#options;
    const startedAtMs = performance.now();
    const { due: deferred, givenUp } = this.#deferred.of(due.id);
    const options = { limit: MAX_DEEP_READS, deferred, givenUp, listsMarkets: platform.listsMarkets };
    const plan = planPoll(due, loaded, rotations, options, now);
    const { depth } = plan;
    const reading = await readArtist(this.#options, { due, depth, loaded, now, requestOptions });
    if (due.closer !== undefined && reading.observation.kind === 'incomplete') {
      await this.#postpone(due, due.closer);
      return;
    }
    const processed = await intake.process(reading);
    this.#settleDueReleases(due, plan, reading.observation);
    if (due.closer !== undefined) {
      const releaseIds = loaded?.baseline?.releases.map(({ platformId }) => platformId) ?? [];
      await this.#options.due.scheduleCloser(due.id, due.closer.depth, nextCloserPoll(due.closer, releaseIds, now));
    }
    log.polled({ due, depth, durationMs: performance.now() - startedAtMs, processed });
  }

  /**
   * Postpones a `closer` poll that got no usable response. This doesn't count as a failure, and it doesn't postpone the
   * regular poll.
   */
  async #postpone({ id }: DueArtist, reading: CloserClaim): Promise<void> {
    const { due, clock } = this.#options;
    await due.scheduleCloser(id, reading.depth, nextCloserPoll(reading, undefined, clock.now()));
    await due.release([id]);
  }

  /**
   * After an incomplete observation, no releases need to be deferred: the rotation selects the same ones for the next
   * poll.
   */
  #settleDueReleases({ id }: DueArtist, { depth, dueReleases }: PollPlan, observation: Observation): void {
    if (observation.kind === 'incomplete') return;
    const read =
      observation.kind === 'complete'
        ? observation.state.releases.filter(({ tracks }) => tracks !== undefined).map(({ platformId }) => platformId)
        : [...dueReleases.keys()];
    this.#deferred.settle(id, { due: dueReleases, requested: releasesReadClosely(depth), read });
  }

  async #giveUp(due: DueArtist, error: unknown, signal: AbortSignal): Promise<void> {
    const { due: artists, log } = this.#options;
    if (!signal.aborted) {
      // Don't release the claim, because an immediate retry would probably fail for the same reason.
      log.failed(due, error);
      return;
    }
    await artists.release([due.id]).catch((releaseError: unknown) => log.failed(due, releaseError));
  }
}

/** An account gets at most half of all slots, because its polls can be long. */
function maxPollsPerAccount(slots: number): number {
  return Math.max(1, Math.floor(slots / 2));
}

function countByAccount(polls: readonly RunningPoll[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { account } of polls) if (account) counts[account] = (counts[account] ?? 0) + 1;
  return counts;
}
