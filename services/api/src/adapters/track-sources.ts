import { InProcessBudget } from '@artist-watch/catalogue/budget/in-process-budget';
import { MUSICBRAINZ_BUDGET } from '@artist-watch/catalogue/budget/request-budget';
import { SharedRequestBudget } from '@artist-watch/catalogue/budget/shared-request-budget';
import { createPlatformClient } from '@artist-watch/catalogue/create-platform-client';
import { MusicBrainzClient } from '@artist-watch/catalogue/musicbrainz/musicbrainz-client';
import { budgetRules, spotifyCredentials } from '@artist-watch/catalogue/platform-settings';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Redis } from 'ioredis';
import type { IsrcSource, TrackSource } from '../application/tools/ports.js';
import type { Config } from '../config.js';
import { isrcSource, trackSource } from './platform-sources.js';

export interface TrackSources {
  /** The platform in use. */
  readonly platform: TrackSource;
  /** Who else is asked for an ISRC that the platform does not know. */
  readonly others: readonly IsrcSource[];
  close(): void;
}

/** A caller of a tool is told to come back rather than kept waiting for the budget. */
const MAX_BUDGET_WAIT_MS = 3_000;

/**
 * Opens whatever the tools ask. The platform's request budget is the one that the poller takes from.
 *
 * @throws StartError when Spotify's credentials are missing.
 */
export function openTrackSources(parts: {
  readonly config: Config;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}): TrackSources {
  const { config, redis, clock, log, metrics } = parts;
  const requests = metrics.counter({
    name: 'api_source_requests_total',
    help: 'What the tools asked the platform and other sources.',
    labels: ['source', 'operation', 'outcome'],
  });
  const counted =
    (source: string) =>
    ({ operation, outcome }: { readonly operation: string; readonly outcome: string }) =>
      requests.inc({ source, operation, outcome });

  const platform = createPlatformClient({
    platform: config.PLATFORM,
    platformUrl: config.PLATFORM_URL,
    proxyUrl: config.PLATFORM_PROXY_URL,
    spotifyCredentials: spotifyCredentials(config),
    budget: new SharedRequestBudget({
      redis,
      key: `${config.REDIS_KEY_PREFIX}:platform-budget:${config.PLATFORM}`,
      rules: budgetRules(config),
      maxWaitMs: MAX_BUDGET_WAIT_MS,
      onFallback: (away, error) => log.warn(away ? 'platform_budget.lost' : 'platform_budget.back', { error }),
    }),
    clock,
    onRequest: counted(config.PLATFORM),
  });
  const musicBrainz =
    config.MUSICBRAINZ_URL === undefined
      ? undefined
      : new MusicBrainzClient({
          baseUrl: config.MUSICBRAINZ_URL,
          proxyUrl: config.PLATFORM_PROXY_URL,
          userAgent: `artist-watch/0.1 (${config.MUSICBRAINZ_CONTACT})`,
          budget: new InProcessBudget({ ...MUSICBRAINZ_BUDGET, maxWaitMs: MAX_BUDGET_WAIT_MS }),
          clock,
          onRequest: counted('musicbrainz'),
        });
  return {
    platform: trackSource(platform),
    others: musicBrainz ? [isrcSource(musicBrainz)] : [],
    close() {
      platform.close();
      musicBrainz?.close();
    },
  };
}
