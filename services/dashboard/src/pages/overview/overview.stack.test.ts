import { makeDifference } from '@artist-watch/domain/change/difference';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-03-30T12:00:00.000Z');
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal, { clock }));

async function seed(changes: readonly string[]) {
  const { accountId } = await seedAccount(pool, 'business');
  const member = await seedMember(pool, accountId);
  await pool.query('UPDATE sessions SET last_seen_at = $1', [clock.now()]);
  await pool.query("UPDATE members SET zone = 'Europe/Berlin' WHERE id = $1", [member.memberId]);
  const artistId = await seedWatchedArtist(pool, accountId, { name: 'Nina <b>Vale</b>' });
  await seedFeed(
    pool,
    accountId,
    artistId,
    changes.map((at) => new Date(at)),
  );
  const get = (path: string, fragment?: string) =>
    dashboard.call(`/a/${accountId}${path}`, {
      cookie: member.cookie,
      ...(fragment !== undefined && { headers: { 'HX-Request': 'true', 'HX-Target': `div#${fragment}` } }),
    });
  return { accountId, artistId, cookie: member.cookie, get };
}

test("the chart counts changes by day in the member's time zone, and each day links to exactly its changes", async () => {
  // The clocks go forward on the 29th, so the day has 23 hours.
  const { accountId, get } = await seed([
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59.999Z',
  ]);
  // Changes stored by earlier versions have no severity.
  await pool.query("UPDATE feed_items SET severity = NULL WHERE confirmed_at < '2026-03-29'");
  const { text } = await get('');
  const bars = [...text.matchAll(/<a href="([^"]+)" aria-label="(\d+ \w+) \(Europe\/Berlin\): (\d+) \w+"/g)];
  expect(text).toContain('Changes by day (Europe/Berlin)');
  expect(bars.map(([, , day, count]) => `${day}: ${count}`)).toEqual(['28 Mar: 1', '29 Mar: 2']);
  const href = (bars[1]?.[1] ?? '').replaceAll('&amp;', '&');
  expect(href).toBe(`/a/${accountId}/changes?from=2026-03-29&to=2026-03-29`);
  const listed = await get(href.slice(`/a/${accountId}`.length));
  expect(listed.text.match(/class="row-link"/g)).toHaveLength(2);
});

test('the chart counts a change as soon as the list contains it', async () => {
  const { accountId, artistId, get } = await seed(['2026-03-30T08:00:00Z']);
  expect((await get('')).text).toContain('1 change in 30 days');
  await seedFeed(pool, accountId, artistId, [new Date('2026-03-30T11:30:00Z')]);
  expect((await get('')).text).toContain('2 changes in 30 days');
});

test('the chart counts a release and its tracks as one change, like the list of changes', async () => {
  const at = '2026-03-30T08:00:00Z';
  const { accountId, get } = await seed([at, at, at]);
  await pool.query(
    `UPDATE changes c SET type = CASE n WHEN 1 THEN 'release_removed' ELSE 'track_removed' END,
            entity_type = CASE n WHEN 1 THEN 'release' ELSE 'track' END::entity_type, entity_id = n::text,
            difference = CASE n WHEN 1 THEN NULL ELSE '{"releaseId": "1"}'::jsonb END
       FROM (SELECT change_id, row_number() OVER () AS n FROM feed_items WHERE account_id = $1) f WHERE c.id = f.change_id`,
    [accountId],
  );
  expect((await get('')).text).toMatch(/1 change in 30 days, <span class="swatch bad"><\/span>1 critical/);
});

test('a removed release is listed with its number of tracks, if the tracks were read', async () => {
  const { accountId, get } = await seed(['2026-03-30T08:00:00Z', '2026-03-30T11:00:00Z']);
  const removed = (trackCount: number | null) =>
    makeDifference({
      ...{ type: 'release_removed', entityId: 'r1', entityName: 'Flowers' },
      before: { platformId: 'r1', title: 'Flowers', trackCount },
    });
  await pool.query(
    `UPDATE changes SET difference = CASE WHEN c.confirmed_at < '2026-03-30T10:00:00Z' THEN $2::jsonb ELSE $3::jsonb END
       FROM feed_items c WHERE c.change_id = changes.id AND c.account_id = $1`,
    [accountId, JSON.stringify(removed(12)), JSON.stringify(removed(null))],
  );
  const { text } = await get('');
  expect(text.match(/with \d+ tracks/g)).toEqual(['with 12 tracks']);
});

test('the overview and the page of an artist refresh problems and changes without reloading the whole page', async () => {
  const { accountId, artistId, get } = await seed([]);
  const other = await seed(['2026-03-30T11:00:00Z']);
  for (const path of ['', `/artists/${artistId}`]) {
    const whole = await get(path);
    expect(whole.text).toContain(`data-hx-get="/a/${accountId}${path}"`);
    const before = await get(path, 'live');
    expect(before.text).toMatch(/^<div id="live"/);
    expect(before.text).not.toMatch(/chg_|<html/);
  }
  await seedFeed(pool, accountId, artistId, [new Date('2026-03-30T11:30:00Z')]);
  for (const path of ['', `/artists/${artistId}`]) {
    const { text } = await get(path, 'live');
    // The inbox has two links per change: its title and "View".
    expect(text.match(/\/changes\/chg_/g)).toHaveLength(path === '' ? 2 : 1);
    expect(text).not.toContain('<b>Vale');
  }
  expect((await get('', 'live')).text).not.toContain('is failing');
  await pool.query(
    `INSERT INTO destinations (id, account_id, kind, name, url, consecutive_failures, created_at)
     VALUES (new_id('dst', now()), $1, 'webhook', 'Warehouse', 'https://receiver.example/', 3, now())`,
    [accountId],
  );
  const { text } = await get('', 'live');
  expect(text).toMatch(/>Warehouse<\/bdi><\/a> is failing: 3 failures in a row/);
  expect(text).toContain('0 of 1 channel healthy');
  expect((await get(`/artists/${other.artistId}`, 'live')).text).not.toContain('chg_');
});

test('an open critical change stays in the inbox until it is handled, even if many changes follow', async () => {
  const { accountId, artistId, cookie, get } = await seed(['2026-03-29T08:00:00Z']);
  const minor = await seedFeed(
    pool,
    accountId,
    artistId,
    Array.from({ length: 40 }, (_, index) => new Date(clock.now().getTime() - index * 60_000)),
  );
  await pool.query("UPDATE changes SET severity = 'info', type = 'release_added' WHERE id = ANY($1)", [minor]);
  await pool.query("UPDATE feed_items SET severity = 'info' WHERE change_id = ANY($1)", [minor]);
  const { text } = await get('');
  expect(text).toContain('Needs attention: 1');
  expect(text).toContain('Please reinstate “Night Drive” by Nina &lt;b>Vale&lt;/b>');
  const [, change = ''] = /name="change" value="(chg_\w+)"/.exec(text) ?? [];
  const form = { change, status: 'handled', overview: '' };
  const { headers } = await dashboard.call(`/a/${accountId}/changes/handling`, { cookie, form });
  expect(headers.location).toBe(`/a/${accountId}`);
  expect((await get('')).text).not.toMatch(/Needs attention|Copy text/);
});

test('a row in the list of changes names the artist only once, even if the change is about the artist', async () => {
  const { accountId, get } = await seed(['2026-03-30T11:00:00Z']);
  expect((await get('/changes')).text).toContain('<bdi>Nina');
  await pool.query(
    `UPDATE changes c SET type = 'artist_removed', entity_type = 'artist', entity_name = 'Nina <b>Vale</b>'
       FROM feed_items f WHERE f.account_id = $1 AND f.change_id = c.id`,
    [accountId],
  );
  const { text } = await get('/changes');
  expect(text).not.toContain('<bdi>Nina');
  expect(text).toContain('artist removed');
});

test('a label and UPC that changed in the same check need attention, but a changed label alone does not', async () => {
  const at = '2026-03-30T11:00:00Z';
  const { accountId, get } = await seed([at, at, '2026-03-30T10:00:00Z']);
  const set = (place: number, type: string, entity: string) =>
    pool.query(
      `UPDATE changes c SET type = $3, severity = 'warning', entity_id = $4 FROM feed_items f
        WHERE f.account_id = $1 AND f.change_id = c.id AND c.entity_id = $2`,
      [accountId, `r${place}`, type, entity],
    );
  await set(1, 'label_changed', 'album');
  await set(2, 'upc_changed', 'album');
  await set(3, 'label_changed', 'other');
  await pool.query("UPDATE feed_items SET severity = 'warning' WHERE account_id = $1", [accountId]);
  const { text } = await get('');
  expect(text).toContain('Needs attention: 1<');
  expect(text).toMatch(/href="[^"]*\/changes\?severity=warning&(?:amp;)?status=open">All open warnings/);
  expect(text).toContain('label and UPC changed');
});

test('the overview names channels that we switched off, but only counts channels that members disabled', async () => {
  const { accountId, artistId, get } = await seed([]);
  await pool.query(
    `INSERT INTO destinations (id, account_id, kind, name, url, state, created_at, switched_off_at, switched_off_reason)
     VALUES (new_id('dst', now()), $1, 'webhook', 'Old shop', 'https://receiver.example/', 'off', now(), now(),
             'Switched off by request'),
            (new_id('dst', now()), $1, 'webhook', 'Gateway', 'https://receiver.example/', 'off', now(), now(),
             'Switched off after 20 failed attempts in a row; the last response was 500.')`,
    [accountId],
  );
  await pool.query(
    "UPDATE artists SET not_found_since = now(), last_polled_at = now() + interval '1 day' WHERE id = $1",
    [artistId],
  );
  const { text } = await get('');
  expect(text).toMatch(/wasn(?:'|&#39;)t found on Deezer/);
  expect(text).toContain('0 of 1 artist ');
  expect(text).toContain(' · 0 of 2 channels healthy · 1 disabled');
  expect(text).toMatch(/>Gateway<\/bdi><\/a> was switched off after 20 failed attempts in a row, <time/);
  expect(text).not.toContain('Old shop');
});
