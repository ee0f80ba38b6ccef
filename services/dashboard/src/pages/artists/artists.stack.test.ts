import { randomBytes, randomInt } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { makeDifference } from '@artist-watch/domain/change/difference';
import { firstBaseline, serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import type { ArtistId } from '@artist-watch/domain/ids';
import { type SeededAccount, seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import {
  type DashboardUnderTest,
  type SeededMember,
  seedMember,
  startDashboard,
} from '@artist-watch/harness/dashboard-fixtures';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { type PlatformSimulator, startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOSTILE = '<script>alert(1)</script>" onload="x';

let suite: Suite;
let dashboard: DashboardUnderTest;
let simulator: PlatformSimulator;
beforeAll(async () => {
  suite = await useSuite();
  simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'pages', artists: 3, budget: 'unlimited' });
  suite.onEnd(() => simulator.stop());
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal), {
    PLATFORM_URL: simulator.url,
    PLATFORM_BUDGET: '10000',
  });
});

async function seed(plan: Parameters<typeof seedAccount>[1] = 'business') {
  const account: SeededAccount = await seedAccount(suite.pool, plan);
  const member: SeededMember = await seedMember(suite.pool, account.accountId, { role: 'member' });
  const get = (path: string) => dashboard.call(`/a/${account.accountId}${path}`, { cookie: member.cookie });
  const post = (path: string, form: Record<string, string> = {}) =>
    dashboard.call(`/a/${account.accountId}${path}`, { cookie: member.cookie, form });
  return { ...account, ...member, get, post };
}

test('the list of artists shows the status and numbers of each artist, and every page keeps the filter', async () => {
  const { accountId, get } = await seed();
  expect((await get('/artists')).text).toContain("You're not watching any artists yet");
  const nina = await seedWatchedArtist(suite.pool, accountId, { name: 'Nina Vale', lastCompleteAt: new Date() });
  await seedWatchedArtist(suite.pool, accountId, { name: HOSTILE });
  await seedWatchedArtist(suite.pool, (await seed()).accountId, { name: 'Foreign' });
  await seedNumbers(nina, { followers: 128_404, before: 128_616, releases: 31 });

  const { status, text } = await get('/artists');
  expect(status).toBe(200);
  for (const shown of ['Nina Vale', 'pending', '128,404', '−212', '>31<', '2 of 500', '1–2 of 2', '&lt;script>']) {
    expect(text).toContain(shown);
  }
  expect(text).not.toContain('<script>alert');
  expect(text).not.toContain('Foreign');
  const found = await get('/artists?q=vale&status=active');
  expect(found.text).toContain('Nina Vale');
  expect(found.text).toContain('value="vale"');
  expect(found.text).not.toContain('&lt;script>');
  expect((await get('/artists?q=nobody&page=3')).text).toContain('No artists match');
  const wrong = await get('/artists?q=%00&status=what&sort=age&page=0');
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('Nina Vale');

  for (let number = 0; number < 101; number++)
    await seedWatchedArtist(suite.pool, accountId, { name: `Page ${number}` });
  const first = await get('/artists?q=page&sort=-name');
  expect(first.text).toContain('1–100 of 101');
  const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(first.text).not.toContain('>Page 0<');
  const second = await get(next.slice(`/a/${accountId}`.length));
  expect(second.text).toContain('>Page 0<');
  expect(second.text).toContain('First page');
  expect(second.text).not.toMatch(/>Page 1<|rel="next"/);
  expect((await get('/artists?q=page&page=3')).text).toContain('There are only 101 artists');
});

test('artists can be sorted by each column, and unknown numbers are last', async () => {
  const { accountId, get } = await seed();
  const names = ['Åsa', 'Bela', 'Chloë'];
  const ids = await Promise.all(
    names.map((name) => seedWatchedArtist(suite.pool, accountId, { name, lastCompleteAt: new Date() })),
  );
  const [asa, bela] = ids as [ArtistId, ArtistId, ArtistId];
  await seedNumbers(asa, { followers: 10, before: 4, releases: 9 });
  await seedNumbers(bela, { followers: 20, before: 40, releases: 3 });
  await seedFeed(suite.pool, accountId, asa, [new Date(Date.now() - 60_000)]);
  await seedFeed(suite.pool, accountId, bela, [new Date()]);
  const foreign = await seed();
  await foreign.post('/artists/add', { artists: 'https://www.deezer.com/artist/1' });
  const sorted = async (sort: string) =>
    [...(await get(`/artists?sort=${sort}`)).text.matchAll(/dir="auto">([^<]+)</g)].map(([, name]) => name);
  expect(await sorted('')).toEqual(['Bela', 'Åsa', 'Chloë']);
  expect(await sorted('name')).toEqual(names);
  expect(await sorted('-name')).toEqual([...names].reverse());
  expect(await sorted('changed')).toEqual(names);
  expect(await sorted('-followers')).toEqual(['Bela', 'Åsa', 'Chloë']);
  expect(await sorted('-growth')).toEqual(names);
  expect(await sorted('growth')).toEqual(['Bela', 'Åsa', 'Chloë']);
  expect(await sorted('-releases')).toEqual(names);
  expect((await get('/artists?sort=-releases')).text).toMatch(/aria-sort="descending"><a href="[^"]*sort=releases"/);

  // Numbers from before the watch started would reveal that other accounts watch the artist.
  await suite.pool.query(`UPDATE watches SET created_at = now() WHERE artist_id = $1`, [asa]);
  expect((await sorted('-growth'))[0]).toBe('Bela');
});

test('a page of 100 artists has at most 60 kB, or 12 kB compressed', async () => {
  const { accountId, get } = await seed();
  for (let number = 0; number < 100; number++) {
    const name = randomBytes(9).toString('base64');
    const id = await seedWatchedArtist(suite.pool, accountId, { name, lastCompleteAt: new Date() });
    await seedNumbers(id, { followers: randomInt(1_000_000), before: randomInt(1_000_000), releases: randomInt(99) });
    await seedFeed(suite.pool, accountId, id, [new Date(Date.now() - randomInt(10_000_000))]);
  }
  const { text } = await get('/artists');
  expect(text).toContain('1–100 of 100');
  const sizes = { html: Buffer.byteLength(text), compressed: gzipSync(text).length };
  expect(sizes.html).toBeLessThan(60_000);
  expect(sizes.compressed).toBeLessThan(12_000);
});

test('a member can stop watching several artists at once, with one event in the audit log', async () => {
  const { accountId, cookie, get } = await seed();
  const foreign = await seed();
  const theirs = await seedWatchedArtist(suite.pool, foreign.accountId, { name: 'Foreign' });
  const ids = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => seedWatchedArtist(suite.pool, accountId, { name })),
  );
  const form = new URLSearchParams([...ids.slice(0, 2), theirs, 'x'].map((id): [string, string] => ['artist', id]));
  const { status, headers } = await dashboard.call(`/a/${accountId}/artists/stop`, { cookie, form });
  expect([status, headers.location]).toEqual([303, `/a/${accountId}/artists`]);
  const { text } = await get('/artists');
  expect(text).toContain('Three');
  expect(text).not.toMatch(/>(One|Two)</);
  expect((await foreign.get('/artists')).text).toContain('Foreign');
  const { rows } = await suite.pool.query(
    'SELECT action, subject_id, subject_name FROM audit_events WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toEqual([{ action: 'artist.unwatched', subject_id: null, subject_name: '2 artists' }]);
  const owner = await seedMember(suite.pool, accountId);
  const audit = await dashboard.call(`/a/${accountId}/audit?who=two`, { cookie: owner.cookie });
  expect(audit.text).toContain('Stopped watching 2 artists:</span> <bdi>One, Two</bdi>');
  expect((await foreign.post('/artists/stop', { artist: String(ids[2]) })).status).toBe(404);
});

test('each pasted line gets a result, and artists are added up to the limit of the plan', async () => {
  const { accountId, get, post } = await seed('starter');
  const watched = async () =>
    (await suite.pool.query('SELECT count(*)::int AS n FROM watches WHERE account_id = $1', [accountId])).rows[0].n;
  const pasted = [
    ...['https://www.deezer.com/en/artist/901', ' deezer.com/artist/902 ', '', 'deezer.com/artist/902'],
    'https://www.deezer.com/album/1',
    ...['https://open.spotify.com/artist/4tZwfgrHOc3mvqYlEYSvVi', HOSTILE, 'nina'],
    ...Array.from({ length: 9 }, (_, index) => `https://www.deezer.com/artist/${910 + index}`),
  ];
  const { status, text } = await post('/artists/add', { artists: pasted.join('\r\n') });
  expect(status).toBe(200);
  expect(text).toContain('10 added, 1 already watched, 5 not added');
  for (const sentence of [
    'This URL does not belong to an artist',
    'another streaming platform',
    'No artist found on Deezer',
    'Your plan allows 10 artists.',
  ]) {
    expect(text).toContain(sentence);
  }
  expect(text).not.toContain('<script>alert');
  expect(text.indexOf('This URL does not belong to an artist')).toBeLessThan(text.indexOf('>added</span>'));
  expect(await watched()).toBe(10);
  expect((await get('/artists/add')).text).toContain("You've reached your plan's artist limit");

  const refused = [
    await post('/artists/add', { artists: ' \n ' }),
    await post('/artists/add', { artists: '7\n'.repeat(501) }),
  ];
  expect(refused.map((answer) => answer.status)).toEqual([400, 400]);
  expect(refused[0]?.text).toContain('Paste at least one link, ID or name.');
  expect(refused[1]?.text).toContain('You pasted 501 lines.');
  expect(await watched()).toBe(10);
});

test('an artist can be found by name and watched with one click, and an ambiguous name lists all matching artists', async () => {
  const { post } = await seed();
  const [known] = simulator.state.artists();
  if (!known) throw new Error('The simulator has no artist.');
  for (const followers of [1_234, 2]) {
    const id = simulator.state.idOf('artist', 900 + followers);
    simulator.state.addArtist({ ...known, id, name: `Twins ${HOSTILE}`, followers });
  }
  const found = await post('/artists/find', { q: 'twins' });
  expect(found.text.match(/name="artists" value="\d+"/g)).toHaveLength(2);
  expect(found.text).toContain('1,234');
  expect(found.text).not.toContain('<script>alert');
  expect((await post('/artists/find', { q: 'nobody' })).text).toContain('No artist found on Deezer');

  const asked = await post('/artists/add', { artists: `Twins ${HOSTILE}\n${known.name.toLowerCase()}` });
  expect(asked.text).toContain('1 added, 1 not added');
  expect(asked.text).toContain('which one?');
  expect(asked.text).not.toContain('<script>alert');
  const [, first] = /name="artists-1" value="(\d+)"/.exec(asked.text) ?? [];
  expect((await post('/artists/add', { 'artists-1': String(first) })).text).toContain('1 added');
  expect((await post('/artists/find', { q: 'twins' })).text).toContain('Already watched');

  simulator.setQuirks({ notJson: 1 });
  expect((await post('/artists/find', { q: 'twins' })).text).toContain('Deezer returned an unusable response.');
  simulator.setQuirks({});
});

test('choosing an artist for one ambiguous line keeps the other lines', async () => {
  const { post } = await seed();
  const [known] = simulator.state.artists();
  if (!known) throw new Error('The simulator has no artist.');
  for (const [index, name] of ['Pair', 'Pair', 'Other pair', 'Other pair'].entries()) {
    simulator.state.addArtist({ ...known, id: simulator.state.idOf('artist', 950 + index), name });
  }
  const { text } = await post('/artists/add', { artists: 'Pair\nOther pair\nhttps://www.deezer.com/album/1' });
  const [, chosen] = /name="artists-1" value="(\d+)"/.exec(text) ?? [];
  expect(text).toContain('name="artists-2" value="Other pair" checked');
  const kept = { 'artists-1': String(chosen), 'artists-2': 'Other pair', artists: 'https://www.deezer.com/album/1' };
  const next = (await post('/artists/add', kept)).text;
  expect(next).toContain('1 added, 2 not added');
  expect(next).toContain('value="Other pair" checked');
  expect(next).toMatch(/<textarea[^>]*>https:\/\/www.deezer.com\/album\/1</);
});

test('an id is watched only if it exists on the platform; otherwise the form offers the artist with this name', async () => {
  const { post } = await seed();
  const [known] = simulator.state.artists();
  if (!known) throw new Error('The simulator has no artist.');
  const band = simulator.state.idOf('artist', 960);
  simulator.state.addArtist({ ...known, id: band, name: '311' });
  const { text } = await post('/artists/add', { artists: `9999999999\n311\n${known.id}` });
  expect(text).toContain('1 added, 2 not added');
  expect(text).toContain('No artist found on Deezer');
  expect(text).toContain(`name="artists-2" value="${band}"`);
  expect(text).toContain(known.name);
});

test('a search for an id opens the matching page, and a search for words finds artists and changes', async () => {
  const { accountId, get } = await seed();
  const artistId = await seedWatchedArtist(suite.pool, accountId, { name: 'Nina Vale' });
  await seedFeed(suite.pool, accountId, artistId, [new Date(Date.now() - 1_000)]);
  await suite.pool.query(
    `UPDATE changes SET entity_id = '4711', summary = 'Night Drive by Nina Vale is gone.' WHERE artist_id = $1`,
    [artistId],
  );
  await suite.pool.query(`UPDATE artists SET platform_id = '990017' WHERE id = $1`, [artistId]);
  const { rows } = await suite.pool.query(
    `SELECT c.id, c.entity_id, a.platform_id FROM changes c JOIN artists a ON a.id = c.artist_id WHERE a.id = $1 LIMIT 1`,
    [artistId],
  );
  const [change] = rows;
  const goesTo = async (q: string) => (await get(`/search?q=${encodeURIComponent(q)}`)).headers.location;
  expect(await goesTo(` ${artistId} `)).toBe(`/a/${accountId}/artists/${artistId}`);
  expect(await goesTo(change.platform_id)).toBe(`/a/${accountId}/artists/${artistId}`);
  expect(await goesTo(`https://www.deezer.com/fr/artist/${change.platform_id}?utm=1`)).toBe(
    `/a/${accountId}/artists/${artistId}`,
  );
  for (const [id, place] of [
    [change.id, 'changes'],
    [`dst_${'0'.repeat(32)}`, 'destinations'],
    [`dlv_${'0'.repeat(32)}`, 'deliveries'],
  ]) {
    expect(await goesTo(id)).toBe(`/a/${accountId}/${place}/${id}`);
  }
  for (const [prefix, list] of Object.entries({ key: 'keys', mem: 'members', fed: 'feeds' })) {
    expect(await goesTo(`${prefix}_${'0'.repeat(32)}`)).toBe(`/a/${accountId}/${list}`);
  }
  const ofEntity = await get(`/search?q=https://www.deezer.com/album/${change.entity_id}`);
  expect(ofEntity.text).toContain(`/changes/${change.id}`);
  expect(ofEntity.text).toContain(`/changes?entity=${change.entity_id}`);
  expect((await get('/search?q=99999')).text).toContain('Watch artist 99999 on Deezer');

  const words = await get('/search?q=vale%20NINA');
  for (const shown of [
    `/artists/${artistId}`,
    `/changes/${change.id}`,
    '/changes?q=vale%20NINA',
    'Search: vale NINA',
  ]) {
    expect(words.text).toContain(shown);
  }
  const digits = await seedWatchedArtist(suite.pool, accountId, { name: '311' });
  const named = (await get('/search?q=311')).text;
  expect(named).toContain(`/artists/${digits}`);
  expect(named).toContain('Watch artist 311 on Deezer');
  const stranger = await seed();
  expect((await stranger.get('/search?q=vale')).text).toContain('Nothing found');
  expect((await stranger.get(`/search?q=${change.platform_id}`)).status).toBe(200);
  expect((await get(`/search?q=${encodeURIComponent(HOSTILE)}`)).text).not.toContain('<script>alert');
  expect((await get('/search?q=%00')).text).toContain('Enter a name, an ID or a link');
});

test('a search that covers only the newest changes has a link that searches the older ones', async () => {
  const { accountId, get } = await seed();
  const artistId = await seedWatchedArtist(suite.pool, accountId);
  const times = Array.from({ length: 10_001 }, (_, index) => new Date(Date.now() - 1_000 * (index + 1)));
  await seedFeed(suite.pool, accountId, artistId, times);
  const { text } = await get('/search?q=needle');
  expect(text).toContain(`/a/${accountId}/changes?q=needle`);
  expect(text).toContain('Search older changes');
  expect(text).toContain('Nothing found so far');
});

test('an artist can be removed only once, and only by its own account', async () => {
  const { accountId, get, post } = await seed();
  const stranger = await seed();
  const artistId = await seedWatchedArtist(suite.pool, accountId, { name: HOSTILE });
  for (const id of [artistId, 'x', 'art_00000000000000000000000000000000']) {
    expect((await stranger.post('/artists/stop', { artist: id })).status).toBe(404);
    expect((await stranger.get(`/artists/${id}`)).status).toBe(404);
  }
  expect((await get('/artists')).text).toContain(artistId);
  expect(await post('/artists/stop', { artist: artistId })).toMatchObject({
    status: 303,
    headers: { location: `/a/${accountId}/artists` },
  });
  expect((await get('/artists')).text).not.toContain(artistId);
  expect((await post('/artists/stop', { artist: artistId })).status).toBe(404);
});

test('adding and removing an artist are each audited with the name of the member', async () => {
  const { accountId, email, post } = await seed();
  for (let times = 0; times < 2; times += 1)
    await post('/artists/add', { artists: 'https://www.deezer.com/artist/4711' });
  const { rows } = await suite.pool.query<{ id: string }>('SELECT artist_id AS id FROM watches WHERE account_id = $1', [
    accountId,
  ]);
  await post('/artists/stop', { artist: String(rows[0]?.id) });
  const audited = await suite.pool.query<{ event: string }>(
    `SELECT concat_ws(' ', actor_kind, actor_name, action, subject_name) AS event FROM audit_events
      WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  expect(audited.rows.map(({ event }) => event)).toEqual([
    `member ${email} artist.watched 4711`,
    `member ${email} artist.unwatched 4711`,
  ]);
  const { cookie } = await seedMember(suite.pool, accountId);
  const get = (path: string) => dashboard.call(`/a/${accountId}${path}`, { cookie });
  const found = async (query: string) =>
    (await get(`/audit${query}`)).text.match(/St(?:arted|opped) watching:(?=<\/span> <bdi>4711<)/g) ?? [];
  expect(await found('?of=artist')).toHaveLength(2);
  expect(await found(`?who=${email.toUpperCase()}&of=artist`)).toHaveLength(2);
  expect(await found('?who=4711')).toEqual(['Stopped watching:', 'Started watching:']);
  expect((await get('/audit?of=api_key')).text).toContain('No events match');
  expect((await get('/audit?who=%25')).text).toContain('No events match');
  expect(await get('/audit?of=x')).toMatchObject({
    status: 400,
    text: expect.stringContaining('must be a subject from the list'),
  });
});

test('the audit log has one line for a pasted list, with the current names of its artists', async () => {
  const { accountId, post } = await seed();
  await post('/artists/add', { artists: 'https://www.deezer.com/artist/5101\nhttps://www.deezer.com/artist/5102' });
  await suite.pool.query("UPDATE artists SET name = 'Nina Vale' WHERE platform_id = '5102'");
  const { cookie } = await seedMember(suite.pool, accountId);
  const { text } = await dashboard.call(`/a/${accountId}/audit?of=artist`, { cookie });
  expect(text.match(/Started watching 2 artists:<\/span> <bdi>5101, Nina Vale<\/bdi>/g)).toHaveLength(1);
  expect(text.match(/Started watching/g)).toHaveLength(1);
});

test('the page of a removed artist shows no current numbers and no empty charts', async () => {
  const { accountId, get } = await seed();
  const artistId = await seedWatchedArtist(suite.pool, accountId, { name: 'Gone', lastCompleteAt: new Date() });
  expect((await get(`/artists/${artistId}`)).text).toContain('Charts appear once there are full checks on two days');
  await suite.pool.query('UPDATE artists SET not_found_since = now(), last_polled_at = now() WHERE id = $1', [
    artistId,
  ]);
  const { text } = await get(`/artists/${artistId}`);
  expect(text).toContain('Not found on Deezer');
  expect(text).not.toMatch(/Charts appear|No releases yet|<dt>(Releases|Tracks|Followers|Checks in)/);
});

test('a merged artist can be replaced with one click, and the page of an overdue artist shows the cause', async () => {
  const { accountId, get, post } = await seed();
  const artistId = await seedWatchedArtist(suite.pool, accountId, { platformId: '8100', lastCompleteAt: new Date(0) });
  await suite.pool.query("UPDATE artists SET incomplete_cause = 'incomplete_list' WHERE id = $1", [artistId]);
  expect((await get(`/artists/${artistId}`)).text).toContain('Deezer does not return the complete list of releases.');
  await suite.pool.query("UPDATE artists SET merged_into = '8101', last_polled_at = now() WHERE id = $1", [artistId]);
  expect((await get('/artists?status=merged')).text).toContain('Nina Vale');
  const { text } = await get(`/artists/${artistId}`);
  expect(text).toContain('8101');
  expect(text).toContain(`/artists/${artistId}/follow"`);
  const { status, headers } = await post(`/artists/${artistId}/follow`);
  expect(status).toBe(303);
  const { rows } = await suite.pool.query<{ id: string; platformId: string }>(
    `SELECT a.id, a.platform_id AS "platformId" FROM watches w JOIN artists a ON a.id = w.artist_id WHERE w.account_id = $1`,
    [accountId],
  );
  expect(rows).toEqual([{ id: expect.any(String), platformId: '8101' }]);
  expect(headers).toMatchObject({ location: `/a/${accountId}/artists/${rows[0]?.id}` });
});

test('the page of an artist shows its health, followers by day, releases and suspected changes', async () => {
  const { accountId, memberId, get } = await seed();
  const { pool } = suite;
  const artistId = await seedWatchedArtist(pool, accountId, { name: 'Nina Vale', lastCompleteAt: new Date() });
  const empty = await get(`/artists/${artistId}`);
  for (const sentence of ['Charts appear once there are full checks on two days', 'No releases yet']) {
    expect(empty.text).toContain(sentence);
  }
  expect(empty.text).not.toMatch(/Being verified|Recent changes/);

  await pool.query(`UPDATE watches SET created_at = now() - interval '10 days' WHERE artist_id = $1`, [artistId]);
  await pool.query(
    `INSERT INTO artist_metrics (artist_id, day, followers)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 1300 - n * 100 FROM unnest('{0, 1, 3}'::int[]) n`,
    [artistId],
  );
  await pool.query(`INSERT INTO baselines (artist_id, state, digest, updated_at) VALUES ($1, $2, '', now())`, [
    artistId,
    JSON.stringify(serialiseBaseline(baseline(26))),
  ]);
  await seedCheck(artistId);

  const { status, text } = await get(`/artists/${artistId}`);
  expect(status).toBe(200);
  for (const shown of [
    ...['1,000 on', '1,300 on', ': 300 more.', '<path class="line" d="M'],
    ...[
      'Being verified',
      'x</bdi> <span class="soft">removed<',
      '1 of 3',
      'https://www.deezer.com/album/100',
      '?releases=25',
    ],
  ]) {
    expect(text).toContain(shown);
  }
  expect(text).not.toMatch(/<script>alert|\sstyle=/);
  await pool.query(`UPDATE watches SET created_at = now() - interval '40 days' WHERE artist_id = $1`, [artistId]);
  await pool.query(
    `INSERT INTO artist_metrics (artist_id, day, followers)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 4000 FROM generate_series(5, 20) n`,
    [artistId],
  );
  await pool.query(
    `INSERT INTO artist_days (artist_id, day, readings, complete_readings, releases, tracks)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 4, 4, 20 + n, 200 FROM generate_series(0, 4) n`,
    [artistId],
  );
  const marked = (await get(`/artists/${artistId}`)).text;
  expect(marked.match(/<a href="[^"]*\/changes\?artist=art_\w+&amp;from=[^"]+" aria-label="[^"]+"/g)).toEqual([
    expect.stringMatching(/aria-label="Drop on [\d-]+ \(UTC\): 1,000 instead of the usual 4,000"$/),
  ]);
  expect(marked).toContain('4 fewer');
  const [, day = ''] = /"Drop on ([\d-]+)/.exec(marked) ?? [];
  expect(marked).toContain(`from=${day}&amp;to=${day}"`);
  // In this time zone, the UTC day overlaps two local days.
  await pool.query("UPDATE members SET zone = 'Asia/Tokyo' WHERE id = $1", [memberId]);
  const dayAfter = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  expect((await get(`/artists/${artistId}`)).text).toContain(`from=${day}&amp;to=${dayAfter}"`);
  const second = await get(`/artists/${artistId}?releases=25`);
  expect(second.text.match(/deezer\.com\/album/g)).toHaveLength(1);
  expect(second.text).toContain('First page');
});

test('the usage page shows the limits of the plan, the current use and the use by day', async () => {
  const { accountId, get } = await seed('pro');
  await seedWatchedArtist(suite.pool, accountId);
  await suite.pool.query(
    `INSERT INTO request_days (account_id, day, requests)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 1000 + n FROM unnest('{0, 8}'::int[]) n`,
    [accountId],
  );
  const { status, text } = await get('/usage');
  expect(status).toBe(200);
  for (const shown of ['1 of 50', 'Webhooks: not included in this plan', '6,000', '2,008 API requests in 30 days']) {
    expect(text).toContain(shown);
  }
  expect(text.match(/<rect /g)).toHaveLength(30);
  expect((await get('/usage?days=7')).text).toContain('1,000 API requests in 7 days');
  expect((await get('/usage?days=8')).text).toContain('in 30 days');
});

test('the overview shows problems, suspected changes and open critical changes, newest first', async () => {
  const { accountId, get } = await seed();
  const { pool } = suite;
  const empty = await get('');
  expect(empty.status).toBe(200);
  for (const sentence of ["You're not watching any artists yet", 'No changes yet']) {
    expect(empty.text).toContain(sentence);
  }
  expect(empty.text).toContain(`<a href="/a/${accountId}/artists/add">Add artists</a>`);
  expect(empty.text).not.toMatch(/System health|Being verified|Needs attention/);

  const lost = await seedWatchedArtist(pool, accountId, { name: HOSTILE });
  const read = await seedWatchedArtist(pool, accountId, { name: 'Nina Vale', lastCompleteAt: new Date() });
  await pool.query(`UPDATE watches SET created_at = now() - interval '1 day' WHERE artist_id = ANY ($1)`, [
    [lost, read],
  ]);
  await seedCheck(read);
  const foreign = await seed();
  const theirs = await seedWatchedArtist(pool, foreign.accountId, { name: 'Foreign' });
  const fine = await foreign.get('');
  expect(fine.text).toContain('1 artist not checked yet');
  expect(fine.text).not.toContain("You're not watching any artists yet");
  await seedCheck(theirs);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await seedFeed(pool, accountId, lost, [ago(9), ago(5)]);
  await seedFeed(pool, accountId, read, [ago(7)]);
  await seedFeed(pool, foreign.accountId, theirs, [ago(1)]);
  await pool.query(
    `INSERT INTO destinations (id, account_id, kind, name, url, state, created_at, switched_off_at, switched_off_reason)
     VALUES (new_id('dst', now()), $1, 'webhook', $2, 'https://receiver.example/', 'off', now(), now(), 'It failed 20 times.')`,
    [accountId, HOSTILE],
  );

  const { status, text } = await get('');
  expect(status).toBe(200);
  for (const shown of [
    ...['was switched off: It failed 20 times, ', 'is overdue', '1 of 2 artists checked', '0 of 1 channel healthy'],
    ...['x</bdi> <span class="soft">removed<', '1 of 3', 'aria-current="page"'],
  ]) {
    expect(text).toContain(shown);
  }
  expect(text).not.toMatch(/<script>alert|Foreign/);
  const items = text.split('<li class="item">').slice(1);
  expect(items.map((item) => /<p class="soft"><bdi>([^<]*)/.exec(item)?.[1]?.startsWith('Nina'))).toEqual([
    false,
    true,
    false,
  ]);
});

/**
 * Stores follower counts for today and a week ago, and a release count, for an artist that has been watched for ten
 * days.
 */
async function seedNumbers(id: string, numbers: Record<'followers' | 'before' | 'releases', number>): Promise<void> {
  const { pool } = suite;
  await pool.query(`UPDATE watches SET created_at = now() - interval '10 days' WHERE artist_id = $1`, [id]);
  await pool.query('UPDATE artists SET followers = $2 WHERE id = $1', [id, numbers.followers]);
  const day = "(now() AT TIME ZONE 'UTC')::date";
  await pool.query(`INSERT INTO artist_metrics (artist_id, day, followers) VALUES ($1, ${day} - 7, $2)`, [
    id,
    numbers.before,
  ]);
  await pool.query(
    `INSERT INTO artist_days (artist_id, day, readings, complete_readings, releases) VALUES ($1, ${day}, 1, 1, $2)`,
    [id, numbers.releases],
  );
}

function baseline(releases: number) {
  const unknown = { artworkId: undefined, label: undefined, upc: undefined, explicit: undefined, credits: undefined };
  return firstBaseline({
    artist: { platformId: '1', name: 'Nina Vale', imageId: undefined, followers: 1, monthlyListeners: undefined },
    releases: Array.from({ length: releases }, (_, index) => ({
      ...{ ...unknown, platformId: String(100 + index), title: `Night ${index}`, type: 'album' },
      ...{ releaseDate: '2026-01-01', markets: [], tracks: undefined },
    })),
  });
}

/** Creates a suspected removal for a release with a hostile name. */
async function seedCheck(artistId: string): Promise<void> {
  const observedAt = new Date(Date.now() - 600_000);
  const difference = makeDifference({ type: 'release_removed', entityId: 'r1', entityName: HOSTILE });
  const paths = { listMissing: true, directRead: 'gone' };
  const observations = [{ observedAt, paths, seen: null, snapshotId: null }];
  await suite.pool.query(
    `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary, detected_at,
                          difference_key, difference, observations)
     VALUES (new_id('chg', $2), $1, 'suspected', 'release_removed', 'critical', 'release', 'r1', 'x', 'x', $2, $3, $4, $5)`,
    [artistId, observedAt, difference.key, JSON.stringify(difference), JSON.stringify(observations)],
  );
}
