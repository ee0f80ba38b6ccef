import { budgetRules } from '@artist-watch/catalogue/create-platform-client';
import type { RecordedResponse } from '@artist-watch/catalogue/http/platform-http';
import type { PlatformClient } from '@artist-watch/catalogue/port';
import type { CatalogueState, Platform } from '@artist-watch/domain/catalogue';
import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { Clock } from '@artist-watch/runtime/clock';
import { MAX_PAUSE_MS, type PlatformAccessSettings, withPlatformClient } from '../../platform/with-platform-client.js';
import { type Finding, fault, ok, warning } from '../finding.js';

/** Daft Punk's releases have every field that the platforms can return. */
const KNOWN_ARTIST: Readonly<Record<Platform, string>> = {
  deezer: '27',
  spotify: '4tZwfgrHOc3mvqYlEYSvVi',
};

/** It takes two releases to make a batch request. */
const DETAILED_RELEASES = 2;

const BUSINESS_INTERVAL_MS = 15 * 60_000;

/** Reads one artist and reports which fields the platform returns. */
export async function examinePlatformView(
  settings: PlatformAccessSettings,
  clock: Clock,
  artistId = KNOWN_ARTIST[settings.PLATFORM],
): Promise<Finding[]> {
  const answers: RecordedResponse[] = [];
  const onResponse = (answer: RecordedResponse) => void answers.push(answer);
  let refusals = 0;
  const onRequest = ({ outcome }: { readonly outcome: string }) => {
    if (outcome === 'quota') refusals++;
  };
  return withPlatformClient(settings, clock, { onResponse, onRequest }, async (client, requestBudget) => {
    const list = await read(client, artistId, []);
    const listRequests = answers.filter(({ method }) => method === 'GET').length;
    if ('finding' in list) {
      const pauseMs = await requestBudget.remainingMs();
      return [pauseMs > MAX_PAUSE_MS ? paused(pauseMs, clock) : list.finding];
    }
    const ids = list.state.releases.slice(0, DETAILED_RELEASES).map(({ platformId }) => platformId);
    const detail = await read(client, artistId, ids);
    const { artist, releases } = list.state;
    return [
      ok('platform.artist', `${artist.name ?? artistId}: the list has ${releases.length} releases.`),
      'finding' in detail ? detail.finding : shownFields(detail.state, settings),
      ...(settings.PLATFORM === 'spotify' ? [mode(answers)] : []),
      budget(settings, { requests: answers.length, listRequests, refusals }),
    ];
  });
}

function paused(pauseMs: number, clock: Clock): Finding {
  const end = new Date(clock.now().getTime() + pauseMs);
  return fault(
    'platform.pause',
    `The platform rejects our requests until ${end.toISOString()}, because there were too many.`,
    'Wait until then, or use another app or IP address. If the platform accepts requests earlier, run cli platform resume. ' +
      'See docs/runbooks/platform-quota.md.',
  );
}

async function read(
  client: PlatformClient,
  artistId: string,
  ids: readonly string[],
): Promise<{ readonly state: CatalogueState } | { readonly finding: Finding }> {
  const signal = new AbortController().signal;
  const observation = await client.readArtist(artistId, {
    depth: { deepReleaseIds: ids, fullReleaseIds: ids.slice(0, 1) },
    signal,
  });
  switch (observation.kind) {
    case 'complete':
      return observation;
    case 'artist_gone':
      return {
        finding: fault(
          'platform.artist',
          `The platform has no artist ${artistId}.`,
          'Use --artist with the ID of an existing artist.',
        ),
      };
    case 'artist_merged':
      return {
        finding: fault(
          'platform.artist',
          `The platform returned the artist ${observation.into.platformId} instead of ${artistId}.`,
          `Use that artist: --artist ${observation.into.platformId}.`,
        ),
      };
    case 'incomplete':
      return {
        finding: fault(
          'platform.artist',
          `The artist ${artistId} could not be read: ${observation.reason}.`,
          'See docs/runbooks/platform-fails.md. For a bug report, save the responses with cli platform record.',
        ),
      };
  }
}

interface Field {
  readonly name: string;
  readonly isShown: boolean;
  /** The changes that cannot be detected if this field is missing. */
  readonly changes: readonly DetectedChangeType[];
}

function listFields({ artist, releases }: CatalogueState): Field[] {
  const tracks = releases.flatMap((release) => release.tracks ?? []);
  const field = (name: string, values: readonly unknown[], ...changes: DetectedChangeType[]): Field => ({
    name,
    isShown: values.some((value) => value !== undefined),
    changes,
  });
  const pick = <Key extends string, Thing extends Readonly<Record<Key, unknown>>>(things: readonly Thing[], key: Key) =>
    things.map((thing) => thing[key]);
  return [
    field('artist name', [artist.name], 'artist_name_changed'),
    field('artist picture', [artist.imageId], 'artist_image_changed'),
    field('followers', [artist.followers], 'followers_spike', 'followers_drop'),
    field('monthly listeners', [artist.monthlyListeners]),
    field('titles', pick(releases, 'title'), 'release_title_changed'),
    field('release dates', pick(releases, 'releaseDate'), 'release_date_changed'),
    field('artwork', pick(releases, 'artworkId'), 'artwork_changed'),
    field('labels', pick(releases, 'label'), 'label_changed'),
    field('UPCs', pick(releases, 'upc'), 'upc_changed'),
    field('markets', pick(releases, 'markets'), 'availability_reduced', 'availability_expanded'),
    field('tracks', pick(releases, 'tracks'), 'track_added', 'track_removed'),
    field('track titles', pick(tracks, 'title'), 'track_title_changed'),
    field('ISRCs', pick(tracks, 'isrc'), 'isrc_changed'),
    field('credits', pick(tracks, 'credits'), 'credits_changed'),
    field('explicit flags', pick(tracks, 'explicit'), 'explicit_flag_changed'),
  ];
}

function shownFields(state: CatalogueState, { PLATFORM }: PlatformAccessSettings): Finding {
  const fields = listFields(state);
  const seen = fields.filter(({ isShown }) => isShown).map(({ name }) => name);
  const hidden = fields.filter(({ isShown }) => !isShown).map(({ name }) => name);
  const missed = fields.filter(({ isShown }) => !isShown).flatMap(({ changes }) => changes);
  const found = `Shown: ${seen.join(', ')}. Not shown: ${hidden.join(', ') || 'nothing'}.`;
  if (missed.length === 0) return ok('platform.fields', found);
  const why = PLATFORM === 'spotify' ? 'Spotify hides some fields from apps in development mode' : 'Try another artist';
  return warning(
    'platform.fields',
    `${found} Changes that cannot be detected: ${missed.join(', ')}.`,
    `${why}. See docs/real-platforms.md.`,
  );
}

/** Spotify doesn't say which mode the app is in, but it rejects requests that need extended quota. */
function mode(answers: readonly RecordedResponse[]): Finding {
  const isRefused = answers.some(
    ({ path, status }) =>
      (status === 400 && /[?&]limit=50(&|$)/.test(path)) || ((status === 403 || status === 404) && /\?ids=/.test(path)),
  );
  if (!isRefused) return ok('platform.mode', 'Extended quota: large pages and batch requests work.');
  return warning(
    'platform.mode',
    'Development mode: Spotify rejects large pages and batch requests, so a poll takes more requests.',
    "Apply for extended quota if you meet Spotify's conditions. See docs/real-platforms.md.",
  );
}

function budget(
  settings: PlatformAccessSettings,
  { requests, listRequests, refusals }: { requests: number; listRequests: number; refusals: number },
): Finding {
  const { limit, windowMs } = budgetRules(settings);
  const artists = Math.floor((limit / windowMs) * (BUSINESS_INTERVAL_MS / Math.max(1, listRequests)));
  const found =
    `The check used ${requests} requests. The budget is ${limit} requests per ${windowMs / 1_000} s. ` +
    `Listing this artist's releases takes ${listRequests} requests, so ${artists} artists of this size can be polled ` +
    'every 15 minutes if nothing else uses the budget.';
  if (refusals === 0) return ok('platform.budget', found);
  return warning(
    'platform.budget',
    `${found} The platform rejected ${refusals} requests because the quota was used up.`,
    'Lower PLATFORM_BUDGET, or stop other programs that use the same IP address or app.',
  );
}
