import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PictureSource } from '@artist-watch/catalogue/http/picture-source';
import { startPictureLoop } from '@artist-watch/change-ingest/adapters/picture-loop';
import { compose } from '@artist-watch/dashboard/compose';
import { readConfig } from '@artist-watch/dashboard/config';
import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { seedMember, seedSession, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { pictureStore } from '@artist-watch/persistence/change/pictures';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { openTestDatabase, watching } from '../integration/change-ingest/ingest-fixture.js';
import { Watching } from '../integration/change-ingest/watching-fixture.js';

const { findChromium } = await import(new URL('../harness/chromium.mjs', import.meta.url).href);

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 600_000;
const EMAIL = 'mia@harbour-lane.example';
/** Polling its 130 releases would take most of the time. */
const LARGEST_CATALOGUE = 'Bela Kamara';

const suite = await useSuite();
const { pool, onEnd } = suite;
const database = openTestDatabase(suite.databaseUrl);
onEnd(() => database.close());
const clock = new TestClock('2026-11-01T09:00:00Z');
const simulator = await startPlatformSimulator({
  platform: 'deezer',
  seed: 'artist-watch',
  artists: 12,
  budget: 'unlimited',
  clock,
});
onEnd(() => simulator.stop());
const { state, additions } = simulator;
const replica = new Watching({ database, simulator, clock });
onEnd(() => replica.stop());

test(
  "the README's screenshots show changes that were detected at simulated times, so that each run draws the same pictures",
  async () => {
    const accountId = await openAccount();
    await detectChanges();
    await fetchCovers();
    const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal, { clock }));
    const browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium' });
    try {
      await takeScreenshots(browser, dashboard.origin, accountId);
    } finally {
      await browser.close();
    }
  },
  TIMEOUT_MS,
);

/** The account of a label watches all artists except the one with the largest catalogue. */
async function openAccount(): Promise<string> {
  const now = clock.now();
  const { accountId } = await seedAccount(pool);
  await seedMember(pool, accountId, { email: EMAIL });
  await pool.query("UPDATE accounts SET name = 'Harbour Lane Records', created_at = $1", [now]);
  await pool.query("UPDATE members SET zone = 'Europe/London', created_at = $1, joined_at = $1", [now]);
  await pool.query(
    `INSERT INTO destinations (id, account_id, kind, name, url, created_at)
     VALUES (new_id('dst', $2), $1, 'slack', '#releases', 'https://hooks.slack.com/…', $2),
            (new_id('dst', $2), $1, 'webhook', 'Catalogue system', 'https://catalogue.harbour-lane.example/', $2)`,
    [accountId, now],
  );
  for (const { id, name } of state.artists()) {
    const artist = { artistPlatformId: id, artistId: `art_${id.padStart(32, '0')}` };
    if (name !== LARGEST_CATALOGUE) await watching(pool, { accountId, ...artist, now });
  }
  return accountId;
}

/** The last removal is still being verified. */
async function detectChanges(): Promise<void> {
  const add = (name: string, title: string, tracks: number) =>
    additions.addRelease({ artistId: artist(name), title, type: 'single', tracks });
  const change = (name: string, title: string, fields: Parameters<typeof state.changeRelease>[1]) =>
    state.changeRelease(release(name, title), fields);

  await replica.pass(60 * MINUTE_MS);
  await happen('2026-11-03T08:00:00Z', () => {
    add('Planets & Arcade', 'Paper Lanterns', 1);
    add('Satellites & Mirrors', 'Northern Lights', 2);
  });
  await happen('2026-11-06T15:00:00Z', () =>
    change('The Northern Museum', 'Southern Diaries', { title: 'Southern Diaries (Remastered)' }),
  );
  await happen('2026-11-10T10:00:00Z', () => {
    change('Gael Ishida', 'Tides and Horizon', { removed: true });
    change('WEATHER', 'Wait with Me', { artworkId: '5'.repeat(32) });
  });
  await happen('2026-11-11T10:00:00Z', () => change('Gael Ishida', 'Tides and Horizon', { removed: false }));
  await happen('2026-11-17T18:00:00Z', () => change('Maya Grünwald', 'Empty Lights', { artworkId: '7'.repeat(32) }));
  await happen('2026-11-20T07:00:00Z', () => {
    add('Gael Ishida', 'Winter Signals', 2);
    add('The Sudden Colours', 'Quiet Coast', 1);
    add('WEATHER', 'Velvet Hours', 1);
    change('Ines Dovlatov', 'Crooked Signals', { title: 'Crooked Signals (Deluxe Edition)' });
  });
  await happen('2026-11-25T13:00:00Z', () => change('Maya Grünwald', 'Crimson Fires', { removed: true }));
  await happen('2026-11-26T06:30:00Z', () => change('Ximena Vasquez', 'Blue Museum', { removed: true }));
  await happen('2026-11-26T09:30:00Z', () => change('Gael Ishida', 'Lost Letters', { removed: true }), 20);
  expect(replica.failures).toEqual([]);
}

async function happen(at: string, change: () => void, minutes = 60): Promise<void> {
  clock.set(at);
  await replica.pass(15 * MINUTE_MS);
  change();
  await replica.pass(minutes * MINUTE_MS);
}

function artist(name: string): string {
  return state.artists().find((one) => one.name === name)?.id ?? '';
}

/** Includes removed releases. */
function release(of: string, title: string): string {
  const releases = state.tree(artist(of)).flatMap((tree) => tree.releases);
  return releases.find((one) => one.title === title)?.id ?? '';
}

async function fetchCovers(): Promise<void> {
  const stopping = new AbortController();
  const source = new PictureSource({ origin: simulator.url });
  const loop = startPictureLoop({
    pictures: pictureStore(database),
    source,
    clock,
    signal: stopping.signal,
    log: createLogger({ service: 'test', level: 'error' }),
    metrics: createMetrics({ service: 'test' }),
  });
  const isDone = async () => (await pool.query('SELECT FROM pictures WHERE next_try_at IS NOT NULL')).rowCount === 0;
  await until('all covers', isDone);
  stopping.abort();
  await loop.done;
  source.close();
}

async function takeScreenshots(browser: Browser, origin: string, accountId: string): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 1000 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  });
  const [name = '', value = ''] = (await seedSession(pool, EMAIL, { now: clock.now() })).split('=');
  await context.addCookies([{ name, value, url: origin }]);
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.now());
  const session = await context.newCDPSession(page);
  const take = async (shown: string) => {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
    await writeFile(`${FOLDER}${shown}.webp`, Buffer.from(data, 'base64'));
  };
  await mkdir(FOLDER, { recursive: true });
  await page.goto(`${origin}/a/${accountId}`);
  await take('overview');
  await page.getByRole('link', { name: 'Blue Museum', exact: true }).click();
  await page.waitForURL('**/changes/**');
  await take('change');
}
