import type { ChangeId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;
const HOSTILE = '<script>alert(1)</script> \u202E';

const suite = await useSuite();
const { pool } = suite;
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));

async function seedList() {
  const { accountId } = await seedAccount(pool);
  const { cookie } = await seedMember(pool, accountId);
  const list = async (query = '', expected = 200) => {
    const { status, text } = await dashboard.call(encodeURI(`/a/${accountId}/changes${query}`), { cookie });
    expect(status).toBe(expected);
    return { text, ids: [...text.matchAll(/row-link" href="[^"]*\/changes\/(chg_\w+)"/g)].map(([, id]) => id) };
  };
  const changes = async (name: string, ...hoursAgo: number[]) => {
    const artistId = await seedWatchedArtist(pool, accountId, { name });
    const ids = await seedFeed(
      pool,
      accountId,
      artistId,
      hoursAgo.map((hours) => new Date(Date.now() - hours * HOUR_MS)),
    );
    await pool.query('UPDATE changes SET artist_name = $2 WHERE id = ANY($1)', [ids, name]);
    return { artistId, ids };
  };
  return { accountId, list, changes };
}

const is = (id: ChangeId | undefined, set: string) => pool.query(`UPDATE changes SET ${set} WHERE id = $1`, [id]);

test('the list of changes is newest first and grouped by day, has none from other accounts, and shows hostile names as text', async () => {
  const { list, changes } = await seedList();
  const foreign = await seedList();
  await foreign.changes('Other', 1);
  expect((await list()).text).toContain('No changes yet');
  const { ids } = await changes(HOSTILE, 1, 30, 80);
  const { ids: listed, text } = await list();
  expect(listed).toEqual(ids);
  expect(text.match(/<h2>/g)).toHaveLength(3);
  expect(text).toContain('&lt;script>alert(1)');
  expect(text).not.toContain('<script>alert');
});

test('filters are part of the URL, and each filter excludes changes that do not match', async () => {
  const { list, changes } = await seedList();
  const nina = await changes('Nina Vale', 1, 2);
  const noel = await changes('Noël Bird', 3, 240);
  const [first, second] = nina.ids;
  await is(
    first,
    `severity = 'warning', type = 'label_changed', entity_id = '302127', summary = 'The label is different.'`,
  );
  await is(second, `severity = 'info', type = 'release_added', entity_name = 'Éclair'`);
  const day = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 10);
  expect((await list('?type=label_changed')).ids).toEqual([first]);
  expect((await list('?severity=warning')).ids).toEqual([first, ...noel.ids]);
  expect((await list(`?artist=${nina.artistId}`)).ids).toEqual(nina.ids);
  expect((await list('?entity=302127')).ids).toEqual([first]);
  for (const artist of ['NOËL', 'noel']) expect((await list(`?artist=${artist}`)).ids).toEqual(noel.ids);
  for (const q of ['éCLAIR+nina', 'eclair']) expect((await list(`?q=${q}`)).ids).toEqual([second]);
  expect((await list(`?from=${day(240)}&to=${day(240)}`)).ids).toEqual([noel.ids[1]]);
  expect((await list('?severity=critical&artist=Nina')).text).toContain('No changes match');
  const meant = (await list('?artist=n')).text;
  expect(meant).toContain('Which artist?');
  expect(meant).not.toContain('more of the name');
  for (let n = 0; n < 10; n += 1) await changes(`Quill ${n}`);
  expect((await list('?artist=quill')).text).toContain('more of the name');
  expect((await list('?q=%')).ids).toEqual([]);
  expect((await list('?type=other_detectors_own')).text).toContain('>Other detectors own</option>');
  expect((await list('?type=label_changed&q=label')).text).toMatch(
    /selected[^>]*value="label_changed"|value="label_changed"[^>]*selected/,
  );
});

test('an invalid filter is ignored with an error beside its field, but a download with it is refused', async () => {
  const { accountId, list, changes } = await seedList();
  const { ids } = await changes('Nina Vale', 1, 2);
  await is(ids[0], `severity = 'warning'`);
  const wrong = '?type=X&severity=grave&from=2026-02-30&to=z&artist=%01&q=a b c d e f g h i j k';
  const { text, ids: listed } = await list(decodeURI(wrong), 400);
  expect(listed).toEqual(ids);
  for (const name of ['type', 'severity', 'from', 'to', 'artist', 'q']) {
    expect(text).toMatch(new RegExp(`id="${name}-field"[^>]*aria-invalid|aria-invalid[^>]*id="${name}-field"`));
  }
  expect(text).toContain('Choose one from the list.');
  expect((await list('?severity=critical&from=z', 400)).ids).toEqual([ids[1]]);
  expect((await list('?from=2026-05-02&to=2026-05-01', 400)).text).toContain('must not be before the start date');
  const { cookie } = await seedMember(pool, accountId);
  const file = await dashboard.call(`/a/${accountId}/changes/export?severity=grave`, { cookie });
  expect([file.status, file.headers.location]).toEqual([303, `/a/${accountId}/changes?severity=grave`]);
});

test('marking several changes at once is audited as one event, and the list keeps its filter', async () => {
  const { accountId, list, changes } = await seedList();
  const { ids } = await changes('Nina Vale', 1, 2, 3);
  const [first, second, third] = ids as [ChangeId, ChangeId, ChangeId];
  const { cookie } = await seedMember(pool, accountId);
  const form = new URLSearchParams({ list: 'severity=critical&status=open', status: 'handled' });
  form.append('change', first);
  form.append('change', third);
  const { status, headers } = await dashboard.call(`/a/${accountId}/changes/handling`, { cookie, form });
  expect([status, headers.location]).toEqual([303, `/a/${accountId}/changes?severity=critical&status=open`]);
  expect((await list('?status=open')).ids).toEqual([second]);
  expect((await list('?status=handled')).ids).toEqual([first, third]);
  expect((await list('?status=done', 400)).ids).toEqual(ids);
  const { rows } = await pool.query('SELECT action, subject_name FROM audit_events WHERE account_id = $1', [accountId]);
  expect(rows).toEqual([{ action: 'change.handled', subject_name: '2 changes' }]);
});

test('paging through a list neither skips nor repeats changes, and keeps the filter', async () => {
  const { list, changes } = await seedList();
  const { ids } = await changes('Nina Vale', ...Array.from({ length: 51 }, (_, index) => index + 1));
  const first = await list('?severity=critical');
  const next = /href="[^"]*\/changes(\?[^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
  expect(next).toContain('severity=critical');
  const second = await list(next);
  expect([...first.ids, ...second.ids]).toEqual(ids);
  expect(second.text).toContain('First page');
  expect(second.text).not.toContain('Next page');
});

test('a filtered list can be downloaded as a CSV file, which contains no formulas', async () => {
  const { accountId, list, changes } = await seedList();
  const { ids } = await changes('=Nina', 1, 2, 3);
  await is(ids[1], `severity = 'info'`);
  expect((await list('?severity=critical')).text).toContain(`/a/${accountId}/changes/export?severity=critical`);
  const { cookie } = await seedMember(pool, accountId);
  const file = await dashboard.call(`/a/${accountId}/changes/export?severity=critical`, { cookie });
  expect(file.headers['content-disposition']).toMatch(/^attachment; filename=changes-[\d-]{10}\.csv$/);
  const rows = file.text.split('\r\n').slice(1, -1);
  expect(rows.map((row) => row.split(',')[0])).toEqual([ids[0], ids[2]]);
  for (const row of rows) expect(row).toContain(",'=Nina,");
});

test('a form creates one feed, which needs no session and works until it is revoked or its creator is removed', async () => {
  const { accountId, changes } = await seedList();
  const { ids } = await changes(HOSTILE, 1);
  const owner = await seedMember(pool, accountId);
  const member = await seedMember(pool, accountId, { role: 'member' });
  const create = async ({ cookie }: { cookie: string }) => {
    const path = `/a/${accountId}/feeds`;
    const [, draft = ''] = /name="draft" value="([^"]+)"/.exec((await dashboard.call(path, { cookie })).text) ?? [];
    const send = () => dashboard.call(`${path}/create`, { cookie, form: { name: 'Reader', draft } });
    const { status, text } = await send();
    const again = await send();
    expect([status, again.status]).toEqual([201, 409]);
    expect(again.text).toContain('You already created this feed');
    expect(again.text).not.toContain('/feed.atom?token');
    const [, address] = /(\/feed\.atom\?token=aw_feed_\w+)/.exec(text) ?? [];
    const { rows } = await pool.query('SELECT id FROM feed_tokens WHERE account_id = $1 ORDER BY id DESC', [accountId]);
    return { address: address as string, id: rows[0]?.id as string };
  };
  const [first, second] = [await create(owner), await create(member)];
  const unused = async () => {
    const { text } = await dashboard.call(`/a/${accountId}/feeds`, { cookie: owner.cookie });
    return text.match(/>Never</g)?.length ?? 0;
  };
  expect(await unused()).toBe(2);
  const feed = await dashboard.call(first.address);
  expect(feed.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
  expect(feed.text).toContain(`href="${dashboard.origin}/a/${accountId}/changes/${ids[0]}"`);
  expect(feed.text).toContain('Artist: &lt;script&gt;');
  const held = { headers: { 'If-None-Match': feed.headers.etag as string } };
  expect((await dashboard.call(second.address, held)).status).toBe(304);
  await until('the last-used times', async () => (await unused()) === 0);

  const { ids: older } = await changes(HOSTILE, ...Array.from({ length: 100 }, (_, index) => index + 2));
  const idsIn = (text: string) => [...text.matchAll(/<aw:change_id>(\w+)</g)].map(([, id]) => id);
  const { text: full } = await dashboard.call(first.address);
  const next = /<link rel="next" href="([^"]+)"/.exec(full)?.[1]?.replaceAll('&amp;', '&');
  const { text: rest } = await dashboard.call(`/feed.atom${next}`);
  expect([...idsIn(full), ...idsIn(rest)]).toEqual([...ids, ...older]);
  expect(rest).not.toContain('rel="next"');

  const revoke = (id: string, { cookie }: { cookie: string }) =>
    dashboard.call(`/a/${accountId}/feeds/${id}/revoke`, { cookie, form: {} });
  expect((await revoke(first.id, member)).status).toBe(404);
  expect((await revoke(first.id, owner)).status).toBe(303);
  expect((await dashboard.call(first.address)).status).toBe(404);
  await pool.query('DELETE FROM members WHERE id = $1', [member.memberId]);
  expect((await dashboard.call(second.address)).status).toBe(404);
});
