import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Crawl, crawl, ROUTES } from './crawl.js';
import { inspect } from './inspect.js';
import { type LivedIn, liveIn } from './lived-in.js';
import { nextTurn, useStage } from './stage.js';

/** Each page is checked four times, which takes minutes on a busy machine. */
const timeoutMs = 600_000;
const stage = useStage();
let livedIn: LivedIn;
let email: string;
let found: Crawl;

beforeAll(async () => {
  [livedIn, email] = await Promise.all([liveIn(stage), stage.account.member(), stage.account.member('member')]);
  const page = await stage.visitor({ email, javaScriptEnabled: false });
  found = await crawl(stage, stage.account, page.request);
}, timeoutMs);
afterAll(() => livedIn?.close());

/** These pages exist only after an action. Other files test them. */
const AFTER_AN_ACTION = new Set([
  '/share/:token',
  '/feed.atom',
  '/a/:account/artists/:artist/follow',
  '/a/:account/feeds/:feed/revoke',
  '/a/:account/changes/:change/shares/:share/revoke',
  '/a/:account/changes/:change/pictures/:side',
  '/share/:token/pictures/:side',
  '/a/:account/destinations/:destination/activate',
  '/a/:account/deliveries/recover',
]);

test('links lead to every page, no link is broken, and every action is a form that works without scripts', () => {
  expect(found.broken).toEqual([]);
  const missing = ROUTES.filter(({ path }) => !AFTER_AN_ACTION.has(path)).filter(({ method, path }) =>
    method === 'GET' ? !found.pages.has(path) && !found.files.has(path) : !found.forms.has(path),
  );
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test(
  'every page meets WCAG 2.2 AA in light and dark mode, can be used with Tab, and never scrolls sideways',
  async () => {
    const examples = [...found.pages.values()].flatMap(([first]) => first ?? []);
    const queue = examples.map((path) => ({ path, name: nameOf(path) }));
    const problems: string[] = [];
    const look = async () => {
      const page = await stage.visitor({ email });
      for (let next = queue.shift(); next; next = queue.shift()) {
        await page.goto(`${stage.stack.dashboardUrl}${next.path}`);
        problems.push(...(await inspect(page, next.name)));
      }
    };
    await Promise.all([look(), look()]);
    expect(problems).toEqual([]);
  },
  timeoutMs,
);

test(
  'empty pages and error pages meet the same accessibility rules as all others',
  async () => {
    const page = await stage.visitor({ email });
    for (const [path, status, name] of [
      ['/changes?type=artist_removed', 200, 'changes-none'],
      ['/artists?q=nobody+at+all', 200, 'artists-none'],
      ['/deliveries?state=skipped&blame=policy', 200, 'deliveries-none'],
      ['/deliveries?state=gone', 400, 'deliveries-wrong-filter'],
      ['/search?q=nobody+at+all', 200, 'search-none'],
      ['/keys?show=revoked', 200, 'keys-revoked'],
      ['/artists/art_00000000000000000000000000000000', 404, 'failure-404'],
    ] as const) {
      expect([path, (await page.goto(stage.account.url(path)))?.status()]).toEqual([path, status]);
      expect(await inspect(page, name)).toEqual([]);
    }
    await (await stage.openAccount('pro')).member('member', email);
    await page.goto(stage.stack.dashboardUrl);
    await page.getByRole('heading', { name: 'Your accounts' }).waitFor();
    expect(await inspect(page, 'accounts')).toEqual([]);
    await page.goto(stage.account.url('/artists/add'));
    await page.getByLabel('Artist name').fill('nobody at all');
    await page.getByRole('button', { name: 'Search Deezer' }).click();
    await page.getByText('No artist found on Deezer').waitFor();
    expect(await inspect(page, 'artists-add-none')).toEqual([]);
    await page.goto(stage.account.url('/destinations/new'));
    await page.locator('input[name=url]').fill('http://10.0.0.1/');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByText('is not on the public internet').waitFor();
    expect(await inspect(page, 'destinations-refused')).toEqual([]);
  },
  timeoutMs,
);

test('j, k and Enter navigate the rows of a list, ? shows the shortcuts, and all are ordinary characters in a field', async () => {
  const page = await stage.visitor({ email });
  await page.goto(stage.account.url('/artists'));
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href'));
  const rows = await page.locator('.row-link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  await page.keyboard.type('jjjk');
  expect(await focused()).toBe(rows[1]);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await inspect(page, 'shortcuts')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('.row-link').nth(1).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${rows[1]}`);
  await page.goto(stage.account.url(''));
  await page.keyboard.press('j');
  expect(await page.evaluate(() => document.activeElement?.matches('.row-link, summary'))).toBe(true);
  await page.goto(stage.account.url('/artists'));
  await page.locator('main input[type=search]').focus();
  await page.keyboard.type('j/?');
  expect(await page.locator('main input[type=search]').inputValue()).toBe('j/?');
});

test("the menu of an artist's row links to its changes and to the platform, and stops watching only that artist", async () => {
  const page = await stage.visitor({ email });
  await page.goto(stage.account.url('/artists'));
  const row = page.locator('tbody tr').nth(1);
  const id = await row.locator('[name=artist]').inputValue();
  const platformId = await row.locator('button').getAttribute('value');
  await row.locator('[name=artist]').press('Enter');
  await page.waitForURL('**/artists?**');
  await row.locator('button').click();
  const menu = page.locator('#menu');
  expect(await menu.getByText('Open on Deezer').getAttribute('href')).toBe(
    `https://www.deezer.com/artist/${platformId}`,
  );
  await menu.locator('summary').click();
  expect(await menu.locator('[name=artist]').inputValue()).toBe(id);
  expect(await inspect(page, 'artists-menu')).toEqual([]);
  await menu.getByRole('link', { name: 'Changes' }).click();
  await page.waitForURL(`**/changes?artist=${id}`);
});

test('a filter applies immediately, stays in the URL and keeps the focus; Escape closes a confirmation', async () => {
  const page = await stage.visitor({ email });
  await page.goto(stage.account.url('/artists'));
  await page.locator('main input[name=artist]').first().check();
  await page.locator('.bulk summary').click();
  await page.keyboard.press('Escape');
  expect(await page.locator('main .confirmation[open]').count()).toBe(0);
  await page.locator('main input[type=search]').focus();
  await page.keyboard.type('no such name');
  await page.getByText('No artists match').waitFor();
  expect(page.url()).toBe(`${stage.account.url('/artists')}?q=no+such+name`);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('q-field');
  await page.getByRole('link', { name: 'Clear' }).click();
  await page.locator('.row-link').first().waitFor();
});

test('when the overview refreshes, the focused button keeps the focus', async () => {
  const page = await stage.visitor({ email });
  await page.clock.install();
  await page.goto(stage.account.url(''));
  await page.locator('#attention form button').first().focus();
  const swapped = page.evaluate(
    () => new Promise((resolve) => document.addEventListener('htmx:after:swap', () => resolve(true), { once: true })),
  );
  await Promise.all([swapped, nextTurn(page)]);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Mark as handled/);
});

test('every row in a list of changes is one line high, however long its names are', async () => {
  const page = await stage.visitor({ email });
  for (const path of ['', '/changes']) {
    await page.goto(stage.account.url(path));
    const heights = await page
      .locator('main > * .change:visible')
      .evaluateAll((rows) => rows.map((row) => row.clientHeight));
    expect(new Set(heights.filter((height) => height !== 36))).toEqual(new Set([40]));
  }
});

/** Returns the path without the account, with each id reduced to its prefix. */
function nameOf(path: string): string {
  const name = path
    .replace(/\?.*/, '')
    .replace(/^\/a\/[^/]+/, '')
    .replaceAll(/\/([a-z]{3})_[^/]+/g, '-$1')
    .replaceAll('/', '-')
    .replace(/^-/, '');
  return name || (path === '/' ? 'start' : 'overview');
}
