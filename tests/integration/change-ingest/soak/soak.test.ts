import type { PolledArtist } from '@artist-watch/change-ingest/application/polling/poller';
import { CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { type PlatformSimulator, startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openTestDatabase, watching } from '../ingest-fixture.js';
import { type ChangeRow, changeRows, Watching } from '../watching-fixture.js';
import { planRealChanges, type RealChange } from './real-changes.js';

/** `pnpm test:soak` uses 1,000. This small number only shows that the soak test works. */
const ARTISTS = Number(process.env.SOAK_ARTISTS ?? 25);
const SOAKED = process.env.SOAK_PLATFORM ?? 'deezer';
const PLATFORM = SOAKED.startsWith('spotify') ? 'spotify' : 'deezer';
/** `spotify-development` means Spotify's development mode. */
const IN_DEVELOPMENT = SOAKED === 'spotify-development';
const IS_LONG = process.env.SOAK_ARTISTS !== undefined;

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
onEnd(() => database.close());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TEST_TIMEOUT_MS = 3 * HOUR_MS;

/** Spotify's development mode is not an error and applies from the start. */
const MODE = { developmentMode: IN_DEVELOPMENT ? 1 : 0 };

/** `slow` is left out, because it has no effect with a stopped clock. */
const QUIRKS = {
  ...MODE,
  noDataError: 0.05,
  quotaError: 0.05,
  busyError: 0.05,
  serverError: 0.05,
  tooManyRequests: 0.05,
  cutConnection: 0.05,
  cutBody: 0.05,
  truncatedBody: 0.05,
  brokenGzip: 0.05,
  redirect: 0.05,
  notJson: 0.05,
  laterPageFails: 0.05,
  wrongTotal: 0.05,
  hiddenItems: 0.05,
  missingItem: 0.05,
  duplicateItem: 0.05,
  repeatedPage: 0.05,
  repeatedItem: 0.05,
  nullItem: 0.05,
  groupGap: 0.05,
  emptyList: 0.05,
  noPicture: 0.05,
  invisibleNames: 0.05,
  unplayableUntilOut: 0.05,
  staleMarkets: 0.05,
  vanishingFields: 0.05,
  relink: 0.05,
  zeroFollowers: 0.05,
  hollowAnswer: 0.05,
  // On Spotify, a quarter of the removed releases have their recordings on another release.
  removedStillAnswers: 0.5,
  recordingsElsewhere: 0.5,
  emptyMarkets: 0.05,
  relinkedTracks: 0.05,
  unreadableTracks: 0.05,
  textDurations: 0.05,
  hyphenatedIsrc: 0.05,
  foreignCountry: 0.05,
  emptyListOfUnknownArtist: 0.05,
  expiredToken: 0.05,
};

let clock: TestClock;
let simulator: PlatformSimulator;
let replica: Watching;
let readings: { readonly conclusive: Map<string, Set<number>>; count: number; incomplete: number };
let beganAtMs: number;

beforeEach(async () => {
  beganAtMs = performance.now();
  await pool.query('TRUNCATE accounts, artists, changes CASCADE');
  clock = new TestClock('2026-03-01T00:30:00.000Z');
  simulator = await startPlatformSimulator({
    platform: PLATFORM,
    seed: 'soak',
    artists: ARTISTS,
    budget: 'unlimited',
    clock,
    quirks: MODE,
  });
  readings = { conclusive: new Map(), count: 0, incomplete: 0 };
  replica = new Watching({
    database,
    simulator,
    platform: PLATFORM,
    clock,
    tickMs: MINUTE_MS,
    concurrency: 64,
    expectedCountry: 'FR',
    onPolled: noteReading,
  });
});
afterEach(async () => {
  await replica.stop();
  await simulator.stop();
});

/** The platform works normally until all baselines and tracks are known. */
async function watchAll(planOf: (artistPlatformId: string) => 'free' | 'starter' | 'pro'): Promise<void> {
  for (const { id } of simulator.state.artists()) {
    const plan = planOf(id);
    const now = clock.now();
    await watching(pool, { accountId: `acc_${plan}`, artistPlatformId: id, platform: PLATFORM, plan, now });
  }
  await replica.pass(2 * HOUR_MS);
  simulator.setQuirks(QUIRKS);
}

function noteReading({ due, processed }: PolledArtist): void {
  const { kind } = processed.settlement;
  const { observedAt } = processed.reading.observation;
  readings.count += 1;
  if (kind === 'incomplete') readings.incomplete += 1;
  if (kind !== 'compared') return;
  const instants = readings.conclusive.get(due.platformId) ?? new Set();
  readings.conclusive.set(due.platformId, instants.add(observedAt.getTime()));
}

const confirmedRows = async () => (await changeRows(database)).filter(({ state }) => state === 'confirmed');

test(
  'with every quirk at 5% and no real change, nothing is confirmed',
  async () => {
    await watchAll(() => 'starter');
    await replica.pass(26 * HOUR_MS);
    const changes = await changeRows(database);
    report('no real change', changes);
    expect(changes.filter(({ state }) => state === 'confirmed')).toEqual([]);
    expect(replica.failures).toEqual([]);
    // Polls that all fail would prove nothing, and neither would a platform without errors.
    expect(readings.incomplete).toBeGreaterThan(ARTISTS);
    expect(readings.conclusive.size).toBe(ARTISTS);
  },
  TEST_TIMEOUT_MS,
);

test(
  'with real changes to a fifth of the artists, exactly these changes are confirmed, with the right times',
  async () => {
    const planned = planRealChanges(simulator, {
      markets: SOAKED === 'spotify',
      labels: !IN_DEVELOPMENT,
      mostReleases: IN_DEVELOPMENT ? 50 : 250,
    });
    // Artists whose changes only a detailed read shows get the Pro plan. All others get Free, which needs less time.
    const deep = new Set(planned.filter(({ isDeep }) => isDeep).map(({ artistPlatformId }) => artistPlatformId));
    await watchAll((id) => (deep.has(id) ? 'pro' : 'free'));
    const expected: (RealChange & { readonly atMs: number })[] = [];
    for (const change of planned) {
      expected.push({ ...change.happen(), atMs: clock.now().getTime() });
      if (expected.length % 5 === 0) await replica.pass(7 * MINUTE_MS);
    }
    const endMs = clock.now().getTime() + 21 * DAY_MS;
    while ((await confirmedRows()).length < expected.length && clock.now().getTime() < endMs) {
      await replica.pass(6 * HOUR_MS);
    }
    await replica.pass(2 * HOUR_MS);

    const changes = await changeRows(database);
    report(`${expected.length} real changes`, changes);
    const confirmed = changes.filter(({ state }) => state === 'confirmed');
    expect(confirmed.map(nameOf).sort()).toEqual(expected.map(nameOf).sort());
    const rowOf = new Map(confirmed.map((row) => [nameOf(row), row]));
    expect(expected.flatMap((change) => wrongTimes(change, rowOf.get(nameOf(change))))).toEqual([]);
    expect(replica.failures).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);

function nameOf(change: RealChange | ChangeRow): string {
  return `${change.type} ${'entityId' in change ? change.entityId : change.entity_id}`;
}

/** Finds confirmed changes whose times do not match their rule or the observations. */
function wrongTimes(change: RealChange & { readonly atMs: number }, row: ChangeRow | undefined): string[] {
  if (!row?.confirmed_at) return [`${nameOf(change)} is missing`];
  const [first, last] = [row.detected_at.getTime(), row.confirmed_at.getTime()];
  const instants = readings.conclusive.get(change.artistPlatformId);
  const seen = row.observations.map((one) => Date.parse((one as { observedAt: string }).observedAt));
  const isAbsence = CHANGE_TYPES[change.type].rule === 'absence';
  const problems = {
    'was detected before it happened': first < change.atMs,
    'was not detected at the time of its first observation': first !== seen[0],
    'was not confirmed at the time of its last observation': last !== seen.at(-1),
    'has an observation at a time without a poll': !seen.every((instant) => instants?.has(instant)),
    'was confirmed by too few observations': seen.length < (isAbsence ? 3 : 2),
    'was confirmed too soon': isAbsence && last - first < 30 * MINUTE_MS,
  };
  return Object.entries(problems).flatMap(([problem, isSo]) => (isSo ? `${nameOf(change)} ${problem}` : []));
}

function report(what: string, changes: readonly ChangeRow[]): void {
  if (!IS_LONG) return;
  const withState = (state: string) => changes.filter((change) => change.state === state).length;
  const requests = simulator.requests.counts().total;
  const passedHours = Math.round((clock.now().getTime() - Date.parse('2026-03-01T00:30:00.000Z')) / HOUR_MS);
  const lines = [
    `soak on ${SOAKED}, ${ARTISTS} artists, every quirk at 5 %, ${what}:`,
    `  ${readings.count} readings in ${passedHours} h of the platform's time, ${readings.incomplete} of them incomplete; ${requests} requests`,
    `  ${changes.length} suspicions: ${withState('confirmed')} confirmed, ${withState('dismissed')} dismissed, ${withState('suspected') + withState('held')} open`,
    `  took ${Math.round((performance.now() - beganAtMs) / 1000)} s`,
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}
