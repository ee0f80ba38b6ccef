import { until } from '@artist-watch/harness/until';
import { platformControl } from '@artist-watch/local-stack/stack/platform-control';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { inspect } from './inspect.js';
import { freshArtist, readAgain } from './platform.js';
import { nextTurn, partOf, useStage } from './stage.js';

const stage = useStage();
const DEADLINE_MS = 45_000;

test('a removed release appears first as a suspected change and then as a confirmed one, without a reload', async () => {
  const page = await stage.visitor({ email: await stage.account.member() });
  const platform = platformControl(stage.stack.platformControlUrl ?? '');
  const artist = await freshArtist(stage);
  await page.goto(stage.account.url('/artists/add'));
  await page.getByLabel('Artists', { exact: true }).fill(`${artist.id}\nnobody`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('1 added, 1 not added').waitFor();
  expect(await inspect(page, 'artists-added')).toEqual([]);
  const path = await page.locator('main tbody a').first().getAttribute('href');
  await until('the first poll', async () => (await stateOf(artist.id)).isRead, DEADLINE_MS);

  // The page's timers use this clock, so that the test need not wait for them.
  await page.clock.install();
  await page.goto(stage.stack.dashboardUrl + path);
  const overview = await stage.visitor({ email: await stage.account.member() });
  await overview.clock.install();
  await overview.goto(stage.account.url(''));
  let documents = 0;
  for (const each of [page, overview]) each.on('request', (sent) => (documents += Number(sent.isNavigationRequest())));

  const { id, title, tracks } = artist.releases[0] as (typeof artist.releases)[number];
  await platform.removeRelease(id);
  await readAgain(stage, artist.id);
  await shows(page, '1 of 3');
  await shows(overview, title);
  expect(await inspect(page, 'artist-with-check')).toEqual([]);
  await readAgain(stage, artist.id);
  await shows(page, '2 of 3');
  await readAgain(stage, artist.id);
  for (const each of [page, overview]) {
    await until(
      'the change',
      async () => {
        await nextTurn(each);
        return (await each.locator('a[href*="/changes/chg_"]', { hasText: title }).count()) > 0;
      },
      DEADLINE_MS,
    );
  }
  expect(documents).toBe(0);
  const item = overview.locator('li.item', { has: overview.getByRole('link', { name: title }) });
  await item.getByText(`with ${tracks.length} track`).first().waitFor();
  await overview.getByRole('link', { name: title }).first().click();
  await overview.locator('summary', { hasText: 'Evidence' }).click();
  await overview.getByText('confirmed', { exact: true }).waitFor();
  expect(await overview.getByText('counts', { exact: true }).count()).toBe(0);
  expect(await inspect(overview, 'change-with-evidence')).toEqual([]);
}, 180_000);

test('a page in a hidden tab sends no requests, and refreshes as soon as it is visible', async () => {
  const page = await stage.visitor({ email: await stage.account.member() });
  await page.clock.install();
  await page.goto(stage.account.url(''));
  let asked = 0;
  page.on('request', (sent) => (asked += Number(sent.headers()['hx-request'] !== undefined)));
  const turn = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await turn(true);
  await page.clock.runFor(60_000);
  await Promise.all([partOf(page), turn(false)]);
  expect(asked).toBe(1);
  await nextTurn(page);
  expect(asked).toBe(2);
});

async function stateOf(platformId: string) {
  const { rows } = await stage.pool.query<{ isRead: boolean }>(
    'SELECT last_complete_at IS NOT NULL AND NOT learning AS "isRead" FROM artists WHERE platform_id = $1',
    [platformId],
  );
  return rows[0] ?? { isRead: false };
}

async function shows(page: Page, text: string): Promise<void> {
  await until(
    `"${text}" on the page`,
    async () => {
      await nextTurn(page);
      return (await page.getByText(text).count()) > 0;
    },
    DEADLINE_MS,
  );
}
