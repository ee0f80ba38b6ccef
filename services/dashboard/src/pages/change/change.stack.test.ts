import { createHash } from 'node:crypto';
import { makeDifference } from '@artist-watch/domain/change/difference';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const DAY_MS = 86_400_000;
const HOSTILE = '<script>alert(1)</script> \u202E{"__html":"x"}';

const suite = await useSuite();
const { pool } = suite;
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));

async function seedChange({ plan = 'business' as 'free' | 'business', ageMs = 60_000 } = {}) {
  const { accountId } = await seedAccount(pool, plan);
  const { cookie } = await seedMember(pool, accountId);
  const artistId = await seedWatchedArtist(pool, accountId, { name: HOSTILE });
  const [id] = (await seedFeed(pool, accountId, artistId, [new Date(Date.now() - ageMs)])) as [ChangeId];
  return { accountId, cookie, artistId, id, path: `/a/${accountId}/changes/${id}` };
}

async function observe(id: ChangeId): Promise<void> {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await pool.query(
    `UPDATE changes SET type = 'track_title_changed', severity = 'warning', entity_type = 'track', entity_id = '100001001',
            entity_name = $2, difference = $3, observations = $4, notes = $5 WHERE id = $1`,
    [
      id,
      HOSTILE,
      JSON.stringify(
        makeDifference({
          type: 'track_title_changed',
          entityId: '100001001',
          entityName: HOSTILE,
          release: { platformId: '100001000', name: 'Night Drive (Deluxe)' },
          before: 'Flowers of Spring',
          after: `Flowers of Autumn ${HOSTILE}`,
        }),
      ),
      JSON.stringify([
        {
          observedAt: at(30),
          paths: { listMissing: true, directRead: 'not_asked' },
          seen: 'Flowers of Autumn',
          snapshotId: 'snp_1',
        },
      ]),
      JSON.stringify([
        { kind: 'held', at: at(25), by: 'fleet' },
        { kind: 'released', at: at(20), by: 'mia', reason: 'ticket 42' },
      ]),
    ],
  );
}

async function seedDestination(
  accountId: AccountId,
  name: string,
  { minSeverity = null as string | null, types = [] as string[], artists = [] as ArtistId[], ageMs = DAY_MS } = {},
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO destinations (id, account_id, name, url, min_severity, change_types, artist_ids, created_at)
     VALUES (new_id('dst', now()), $1, $2, 'https://hooks.label.example/' || $2, $3, $4, $5, $6) RETURNING id`,
    [accountId, name, minSeverity, types, artists, new Date(Date.now() - ageMs)],
  );
  return (rows[0] as { id: string }).id;
}

async function seedDelivery(
  change: { readonly accountId: AccountId; readonly id: ChangeId },
  destination: string,
  state: 'succeeded' | 'failed' | 'skipped',
): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, state, attempt_count, created_at, settled_at,
                             skipped_reason)
     VALUES (new_id('dlv', now()), $1, $2, $3, $4::delivery_state, 1, now(), now(),
             CASE WHEN $4 = 'skipped' THEN 'destination_off' END) RETURNING id`,
    [change.accountId, destination, change.id, state],
  );
  if (state !== 'failed') return;
  await pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, started_at, ended_at)
     VALUES (new_id('att', now()), $1, 1, 'failed', 'receiver', 500, 'unexpected_status', 'The receiver responded with 500.',
             now(), now())`,
    [rows[0]?.id],
  );
}

function rowOf(text: string, name: string): string {
  const row = text.split('<tr').find((part) => part.includes(`>${name}<`)) ?? '';
  return row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('the page of an observed change shows the changed words, the evidence and a letter to the distributor', async () => {
  const change = await seedChange();
  await observe(change.id);
  const { status, text } = await dashboard.call(change.path, change);
  expect(status).toBe(200);
  expect(text).toContain('<del>Spring</del>');
  expect(text).toMatch(/<ins>Autumn/);
  expect(text).toContain('A full check showed “Flowers of Autumn”.');
  expect(text).toContain('more checks over a longer time');
  expect(text).not.toMatch(/mia|ticket 42|fleet|snp_1/);
  expect(text).toContain('https://www.deezer.com/track/100001001');
  expect(text).toContain('confirmed by 1 check');
  expect(text).toContain('1 of 1 check agrees');
  expect(text).toContain("Hello,\n\nWe didn't request this change on Deezer:");
  expect(text).not.toContain('<script>alert');
});

test('each destination is listed with its delivery, or with the reason why there is none', async () => {
  const change = await seedChange();
  await observe(change.id);
  const { accountId } = change;
  for (const state of ['succeeded', 'failed', 'skipped'] as const) {
    await seedDelivery(change, await seedDestination(accountId, state), state);
  }
  await seedDestination(accountId, 'grave', { minSeverity: 'critical' });
  await seedDestination(accountId, 'types', { types: ['release_removed'] });
  await seedDestination(accountId, 'artists', { artists: ['art_other' as ArtistId] });
  await seedDestination(accountId, 'young', { ageMs: 0 });
  await seedDestination(accountId, 'plain');
  const foreign = await seedChange();
  await seedDestination(foreign.accountId, 'foreign');
  const { text } = await dashboard.call(change.path, change);
  expect(rowOf(text, 'succeeded')).toMatch(/delivered .*1 attempt/);
  expect(rowOf(text, 'failed')).toContain('The receiver responded with 500. (1 attempt)');
  expect(rowOf(text, 'skipped')).toContain('The channel was off.');
  expect(rowOf(text, 'grave')).toContain("The channel's rules allow only critical changes.");
  expect(rowOf(text, 'types')).toContain("The channel's rules exclude this type of change.");
  expect(rowOf(text, 'artists')).toContain("The channel's rules exclude this artist.");
  expect(rowOf(text, 'young')).toContain('created after this change was confirmed');
  expect(rowOf(text, 'foreign')).toBe('');
  expect(text).not.toMatch(/<tr(?:(?!<\/tr>).)*plain/s);
  expect(text).toContain('Not sent to 1 channel: <bdi>plain</bdi>.');
  const linked = [...text.matchAll(/href="([^"]*\/(?:destinations|deliveries)\/\w+)"/g)].map(
    ([, path]) => path as string,
  );
  expect(linked).toHaveLength(7 + 3);
  for (const path of linked) expect((await dashboard.call(path, change)).status).toBe(200);
});

test('the page of a removed release shows its cover and its tracks, and the letter names its label, UPC and ISRCs', async () => {
  const change = await seedChange();
  const { id, accountId, cookie, path } = change;
  const artworkId = createHash('md5').update(id).digest('hex');
  const before = { platformId: 'r1', title: 'Flowers', artworkId };
  const facts = {
    label: 'Fernlight Records',
    upc: '4059990017296',
    tracks: [{ title: 'Bloom', isrc: 'ZZFLR2500001' }],
  };
  const difference = {
    ...makeDifference({ type: 'release_removed', entityId: 'r1', entityName: 'Flowers', before }),
    facts,
  };
  await pool.query(
    "UPDATE changes SET type = 'release_removed', entity_type = 'release', entity_id = 'r1', difference = $2 WHERE id = $1",
    [id, JSON.stringify(difference)],
  );
  const shown = async () => (await dashboard.call(path, { cookie })).text;
  expect(await shown()).not.toContain('/pictures/');
  await pool.query(
    `INSERT INTO pictures (platform, entity_type, content_id, named_at, media_type, bytes)
     VALUES ('deezer', 'release', $1, now(), 'image/png', $2)`,
    [artworkId, Buffer.from('89504e470d0a1a0a', 'hex')],
  );
  const text = await shown();
  expect(text).toContain(`<img src="${path}/pictures/before"`);
  expect((await dashboard.call(`${path}/pictures/before`, { cookie })).status).toBe(200);
  expect(text).toContain('<code>ZZFLR2500001</code>');
  expect(text).toContain('Label: Fernlight Records\nUPC: 4059990017296\n- Bloom (ISRC ZZFLR2500001)\n');
  expect(text).toMatch(/class="primary" data-copy/);
  await dashboard.call(`/a/${accountId}/changes/handling`, { cookie, form: { change: id, status: 'expected' } });
  expect(await shown()).not.toMatch(/class="primary" data-copy/);
});

test('the page of a change from another detector says so, and names the smallest plan that includes channels', async () => {
  const { path, cookie } = await seedChange({ plan: 'free' });
  const { text } = await dashboard.call(path, { cookie });
  expect(text).toContain('This change was reported through the API');
  expect(text).toContain('Channels come with the Starter plan');
});

test('a member can mark a change as handled or expected, assign it, add a note and reopen it', async () => {
  const { accountId, cookie, path, id } = await seedChange();
  const colleague = await seedMember(pool, accountId, { role: 'member' });
  const set = async (fields: Record<string, string>) => {
    const answer = await dashboard.call(`/a/${accountId}/changes/handling`, {
      cookie,
      form: { change: id, ...fields },
    });
    expect([answer.status, answer.headers.location]).toEqual([303, path]);
    return (await dashboard.call(path, { cookie })).text;
  };
  const buttons = (text: string) => [...text.matchAll(/<\/svg>(Mark as \w+|Reopen)</g)].map(([, label]) => label);
  expect(buttons((await dashboard.call(path, { cookie })).text)).toEqual(['Mark as handled', 'Mark as expected']);
  expect(buttons(await set({ status: 'handled' }))).toEqual(['Reopen', 'Mark as expected']);
  expect(buttons(await set({ status: 'expected' }))).toEqual(['Reopen', 'Mark as handled']);
  expect(await set({ assignee: colleague.email })).toMatch(
    new RegExp(`<option (?:selected )?value="${colleague.email}"(?: selected)?>`),
  );
  const text = await set({ note: `Ticket 4711 ${HOSTILE}` });
  expect(text).toContain('Ticket 4711 &lt;script>');
  expect(buttons(await set({ status: 'open' }))).toEqual(['Mark as handled', 'Mark as expected']);
  expect(await set({ note: '' })).not.toContain('Ticket 4711');
  const { rows } = await pool.query('SELECT action FROM audit_events WHERE account_id = $1 ORDER BY id', [accountId]);
  expect(rows.map(({ action }) => action)).toEqual([
    ...['change.handled', 'change.expected', 'change.updated', 'change.updated', 'change.reopened', 'change.updated'],
  ]);
});

test('a removal and its restoration link to each other, with the time in between', async () => {
  const { accountId, cookie, artistId, id, path } = await seedChange({ ageMs: 4 * DAY_MS });
  const text = async (of: string) => (await dashboard.call(of, { cookie })).text;
  expect(await text(path)).toContain('Missing now, for 4 days');
  const [restored] = await seedFeed(pool, accountId, artistId, [new Date(Date.now() - DAY_MS + 4 * 3_600_000)]);
  await pool.query("UPDATE changes SET type = 'release_restored' WHERE id = $1", [restored]);
  for (const page of [path, `/a/${accountId}/changes/${restored}`]) {
    const shown = await text(page);
    expect(shown).toContain('Missing earlier, for 3 days 4 hours');
    for (const linked of [id, restored]) expect(shown).toContain(`href="/a/${accountId}/changes/${linked}">`);
  }
});

test('the page of a change lists the members who got an email about it', async () => {
  const { accountId, cookie, id, path } = await seedChange();
  const informed = await seedMember(pool, accountId);
  await pool.query(
    `INSERT INTO mails (id, account_id, member_id, recipient, kind, data, state, created_at, settled_at)
     VALUES (new_id('mai', now()), $1, $2, $3, 'critical_changes', $4, 'sent', now(), now())`,
    [accountId, informed.memberId, informed.email, JSON.stringify({ changes: [{ id }] })],
  );
  const { text } = await dashboard.call(path, { cookie });
  const emails = text.slice(text.indexOf('>Emails</caption>'));
  expect(emails.match(/<tr/g)).not.toBeNull();
  expect(rowOf(emails, informed.email)).toContain('sent');
});

test('a change of another account cannot be marked as handled', async () => {
  const mine = await seedChange();
  const foreign = await seedChange();
  const form = { change: foreign.id, status: 'handled' };
  const answer = await dashboard.call(`/a/${mine.accountId}/changes/handling`, { ...mine, form });
  expect(answer.status).toBe(404);
  const { rows } = await pool.query('SELECT FROM change_handling WHERE change_id = $1', [foreign.id]);
  expect(rows).toEqual([]);
});

test("changes of other accounts, changes before the plan's history period and invalid ids return the same 404", async () => {
  const mine = await seedChange();
  const foreign = await seedChange();
  const old = await seedChange({ plan: 'free', ageMs: 8 * DAY_MS });
  const answers = [
    await dashboard.call(`/a/${mine.accountId}/changes/${foreign.id}`, mine),
    await dashboard.call(`/a/${mine.accountId}/changes/chg_${'0'.repeat(32)}`, mine),
    await dashboard.call(`/a/${mine.accountId}/changes/x`, mine),
    await dashboard.call(old.path, old),
  ];
  const missing = await dashboard.call(`/a/${mine.accountId}/none`, mine);
  for (const { status, text } of answers) expect({ status, text }).toEqual({ status: 404, text: missing.text });
});

async function share(path: string, cookie: string) {
  const [, draft = ''] = /name="draft" value="([^"]+)"/.exec((await dashboard.call(path, { cookie })).text) ?? [];
  return dashboard.call(`${path}/share`, { cookie, form: { draft } });
}

test('a status that was changed through the API shows the name of the API key, but no key of another account', async () => {
  const { accountId, cookie, path, id } = await seedChange();
  const { accountId: other } = await seedAccount(pool);
  await pool.query(
    `WITH made AS (
       INSERT INTO api_keys (id, account_id, secret_sha256, hint, name, created_at)
       SELECT new_id('key', now()), account_id, sha256(account_id::bytea), 'aw_live_4f2A', 'Reporting scripts', now()
         FROM unnest($1::text[]) account_id RETURNING id, account_id)
     INSERT INTO change_handling (account_id, confirmed_at, change_id, status, status_by, status_at)
     SELECT made.account_id, c.confirmed_at, c.id, 'handled', made.id, now() FROM made, changes c
      WHERE c.id = $2 AND made.account_id = $3`,
    [[accountId, other], id, accountId],
  );
  expect((await dashboard.call(path, { cookie })).text).toContain('by <bdi>the API key “Reporting scripts”</bdi>');
  await pool.query(
    'UPDATE change_handling SET status_by = k.id FROM api_keys k WHERE change_id = $1 AND k.account_id = $2',
    [id, other],
  );
  expect((await dashboard.call(path, { cookie })).text).not.toContain('Reporting scripts');
});

test('a form for sharing creates only one link, however often it is sent, and a forged form creates none', async () => {
  const { accountId, cookie, path } = await seedChange();
  const [, draft = ''] = /name="draft" value="([^"]+)"/.exec((await dashboard.call(path, { cookie })).text) ?? [];
  const send = (form: Record<string, string>) => dashboard.call(`${path}/share`, { cookie, form });
  for (const status of [201, 409, 409]) expect((await send({ draft })).status).toBe(status);
  expect((await send({})).status).toBe(409);
  const { rows } = await pool.query('SELECT FROM change_shares WHERE account_id = $1', [accountId]);
  expect(rows).toHaveLength(1);
});

test('a share link shows the change to anyone for seven days, and reveals nothing else about the account', async () => {
  const { accountId, cookie, path, artistId, id } = await seedChange();
  const note = 'For members only';
  await dashboard.call(`/a/${accountId}/changes/handling`, { cookie, form: { change: id, note } });
  const created = await share(path, cookie);
  expect([created.status, created.headers['cache-control']]).toEqual([201, 'private, no-store']);
  const shared = /\/share\/[\w-]{43}/.exec(created.text)?.[0] ?? '';
  expect(created.text).toContain(`${dashboard.origin}${shared}`);

  const { status, text, headers } = await dashboard.call(shared);
  expect([status, headers['x-robots-tag'], headers['cache-control']]).toEqual([
    200,
    'noindex, nofollow',
    'private, no-store',
  ]);
  expect(text).toContain(id);
  expect(text).toContain('<bdi>Label</bdi> shared this change with you');
  expect(text).not.toMatch(/<script>alert|\/a\/acc_|name="robots" content="index/);
  for (const hidden of [accountId, artistId, 'Notifications', '@label.example', note])
    expect(text).not.toContain(hidden);
  const { rows } = await pool.query('SELECT * FROM change_shares WHERE account_id = $1', [accountId]);
  expect(JSON.stringify(rows)).not.toContain(shared.slice('/share/'.length));

  const page = await dashboard.call(path, { cookie });
  expect(page.text).not.toContain(shared);
  await pool.query("UPDATE change_shares SET expires_at = now() - interval '1 second' WHERE account_id = $1", [
    accountId,
  ]);
  expect((await dashboard.call(shared)).status).toBe(404);
});

test('other accounts cannot share a change or revoke its link, a revoked link stops working, and both actions are audited', async () => {
  const { accountId, cookie, path } = await seedChange();
  const other = await seedChange();
  const created = await share(path, cookie);
  const shared = /\/share\/[\w-]{43}/.exec(created.text)?.[0] ?? '';
  const [revoke = ''] = /\/shares\/shr_\w+\/revoke/.exec((await dashboard.call(path, { cookie })).text) ?? [];
  const foreign = { cookie: other.cookie, form: {} };
  const inOther = path.replace(accountId, other.accountId);
  expect((await dashboard.call(`${inOther}/share`, foreign)).status).toBe(404);
  expect((await dashboard.call(`${other.path}${revoke}`, foreign)).status).toBe(303);
  expect((await dashboard.call(shared)).status).toBe(200);

  for (let times = 0; times < 2; times += 1) {
    expect((await dashboard.call(`${path}${revoke}`, { cookie, form: {} })).status).toBe(303);
  }
  const gone = await dashboard.call(shared);
  expect(gone.status).toBe(404);
  expect(gone.text).toContain('Ask the sender for a new one.');
  expect((await dashboard.call('/share/nothing')).text).toBe(gone.text);
  const { rows } = await pool.query('SELECT action FROM audit_events WHERE account_id = $1 ORDER BY id', [accountId]);
  expect(rows.map(({ action }) => action)).toEqual(['change.shared', 'change.share_revoked']);
});

test('pictures are served only to people who can see the change, and a note replaces a missing picture', async () => {
  const change = await seedChange();
  const other = await seedChange();
  const [before, after] = [createHash('md5').update(change.id).digest('hex'), 'f'.repeat(32)];
  const parts = { entityId: '1', entityName: 'Flowers', before, after };
  await pool.query(
    "UPDATE changes SET type = 'artwork_changed', severity = 'warning', entity_type = 'release', difference = $2 WHERE id = $1",
    [change.id, JSON.stringify(makeDifference({ type: 'artwork_changed', ...parts }))],
  );
  const [png, address] = [Buffer.from('89504e470d0a1a0a', 'hex'), `${change.path}/pictures`];
  expect((await dashboard.call(change.path, change)).text.match(/We have no picture\./g)).toHaveLength(2);
  await pool.query(
    `INSERT INTO pictures (platform, entity_type, content_id, named_at, media_type, bytes, problem, next_try_at)
     VALUES ('deezer', 'release', $1, now(), 'image/png', $3, NULL, NULL), ('deezer', 'release', $2, now(), NULL, NULL, 'absent', now())`,
    [before, after, png],
  );

  const { text } = await dashboard.call(change.path, change);
  expect(text.match(/<img src="\/a\/[^"]+"/g)).toEqual([`<img src="${address}/before"`]);
  expect(text).toContain("This picture is no longer available. We'll try again.");
  const served = await dashboard.call(`${address}/before`, change);
  expect([served.status, served.headers]).toMatchObject([
    200,
    {
      'content-type': 'image/png',
      'content-length': String(png.length),
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    },
  ]);
  const foreign = address.replace(change.accountId, other.accountId);
  for (const path of [`${address}/after`, `${address}/x`, `${other.path}/pictures/before`]) {
    expect([path, (await dashboard.call(path, path.startsWith(other.path) ? other : change)).status]).toEqual([
      path,
      404,
    ]);
  }
  expect((await dashboard.call(`${foreign}/before`, other)).status).toBe(404);

  const created = await share(change.path, change.cookie);
  const shared = /\/share\/[\w-]{43}/.exec(created.text)?.[0] ?? '';
  expect((await dashboard.call(shared)).text).toContain(`<img src="${shared}/pictures/before"`);
  expect((await dashboard.call(`${shared}/pictures/before`)).headers['content-type']).toBe('image/png');
  expect((await dashboard.call(`${shared}/pictures/after`)).status).toBe(404);
  await pool.query("UPDATE change_shares SET expires_at = now() - interval '1 second'");
  expect((await dashboard.call(`${shared}/pictures/before`)).status).toBe(404);
});
