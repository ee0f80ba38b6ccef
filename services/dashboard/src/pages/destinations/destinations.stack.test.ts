import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { type DashboardUnderTest, seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { DESTINATION_LIMITS } from '@artist-watch/http/limit/rate-limit';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

let suite: Suite;
let dashboard: DashboardUnderTest;
const HOSTILE = '<script>alert(1)</script>"onload="';
const SECRET = /whsec_[A-Za-z\d+/]{43}=/;

beforeAll(async () => {
  suite = await useSuite();
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
});

type Form = Readonly<Record<string, string>> | URLSearchParams;

async function asMember(accountId: string, role: 'owner' | 'member' = 'owner') {
  const { cookie, email } = await seedMember(suite.pool, accountId as never, { role });
  const call = (path: string, form?: Form) =>
    dashboard.call(`/a/${accountId}${path}`, { cookie, ...(form && { form }) });
  return { email, get: (path: string) => call(path), post: (path: string, form: Form = {}) => call(path, form) };
}

async function onBusiness() {
  const { accountId } = await seedAccount(suite.pool, 'business');
  return { accountId, ...(await asMember(accountId)) };
}

async function withDestination() {
  const seeded = await seedDestination(suite.pool);
  const path = `/destinations/${seeded.destinationId}`;
  const { rows } = await suite.pool.query('SELECT url FROM destinations WHERE id = $1', [seeded.destinationId]);
  return { ...seeded, path, url: rows[0].url as string, ...(await asMember(seeded.accountId)) };
}

const draftIn = (html: string) => /name="draft" value="([^"]+)"/.exec(html)?.[1] ?? '';

async function auditOf(accountId: string) {
  const { rows } = await suite.pool.query(
    'SELECT actor_name AS who, action FROM audit_events WHERE account_id = $1 ORDER BY id',
    [accountId],
  );
  return rows.map(({ who, action }) => `${who} ${action}`);
}

test('a secret is shown only in the response to the form that created it, not after going back, reloading or clicking again', async () => {
  const { accountId, email, get, post } = await onBusiness();
  const draft = draftIn((await get('/destinations/new')).text);
  const form = { draft, name: HOSTILE, kind: 'webhook', url: 'https://receiver.example/hooks', secret: 'generate' };
  const made = await post('/destinations/new', form);
  expect(made.status).toBe(200);
  expect(made.headers['cache-control']).toContain('no-store');
  expect(made.text).toMatch(SECRET);
  expect(made.text).not.toContain('<script>alert');
  for (const language of ['Node', 'Python', 'Go', 'Java', 'PHP', 'Ruby']) {
    expect(made.text).toContain(`<summary>${language}</summary>`);
  }
  const again = await post('/destinations/new', form);
  expect(again.status).toBe(303);
  const path = String(again.headers.location).replace(`/a/${accountId}`, '');
  for (const shown of [await get(path), await get(`${path}/edit`), await get('/destinations'), again]) {
    expect(shown.text).not.toMatch(SECRET);
  }
  expect((await get('/destinations')).text.match(/row-link/g)).toHaveLength(1);
  expect(await auditOf(accountId)).toEqual([`${email} destination.created`]);
});

test('an invalid form shows an error beside the field and keeps the input', async () => {
  const { get, post } = await onBusiness();
  const draft = draftIn((await get('/destinations/new')).text);
  const typed = { draft, name: 'Kept', kind: 'webhook', secret: 'generate' };
  for (const [form, sentence] of [
    [{ ...typed, url: 'http://10.0.0.1/' }, 'is not on the public internet'],
    [{ ...typed, url: 'not an address' }, 'must be an absolute http or https URL'],
    [{ ...typed, url: 'https://x.example/', change_types: 'Release removed' }, 'must be snake_case'],
    [{ ...typed, kind: 'slack', url: 'https://x.example/' }, 'must be a Slack incoming webhook'],
  ] as const) {
    const { status, text } = await post('/destinations/new', form);
    expect([status, text]).toEqual([400, expect.stringContaining(sentence)]);
    expect(text).toContain('value="Kept"');
  }
  expect((await get('/destinations')).text).toContain('No channels yet');
});

test('Starter includes a Slack or Discord channel but no webhook, and Free includes neither', async () => {
  const { accountId } = await seedAccount(suite.pool, 'starter');
  const { get, post } = await asMember(accountId);
  const url = 'https://hooks.slack.com/services/T1/B1/s3cr3t';
  const offered = (await get('/destinations/new')).text;
  expect(offered.match(/<option value="(?:webhook|slack|discord)"/g)).toHaveLength(2);
  const form = { draft: draftIn(offered), url };
  expect((await post('/destinations/new', { ...form, url: 'https://receiver.example/', kind: 'webhook' })).status).toBe(
    403,
  );
  const made = await post('/destinations/new', { ...form, kind: 'slack' });
  expect(made.status).toBe(303);
  const page = await get(String(made.headers.location).replace(`/a/${accountId}`, ''));
  expect(page.text).not.toContain('s3cr3t');
  const next = draftIn((await get('/destinations/new')).text);
  expect((await post('/destinations/new', { ...form, draft: next, kind: 'slack' })).status).toBe(403);

  const smaller = (await seedAccount(suite.pool, 'starter')).accountId;
  const free = await asMember(smaller);
  const draft = draftIn((await free.get('/destinations/new')).text);
  await suite.pool.query(`UPDATE accounts SET plan = 'free' WHERE id = $1`, [smaller]);
  expect((await free.get('/destinations/new')).headers.location).toBe(`/a/${smaller}/destinations`);
  const refused = await free.post('/destinations/new', { ...form, draft, kind: 'slack' });
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining('Slack and Discord require the Starter plan or higher'),
  ]);
});

test('rules can be previewed with and without JavaScript, and are saved as previewed', async () => {
  const { accountId, artistId, destinationId, path, get, post } = await withDestination();
  const changes = await seedConfirmedChanges(suite.pool, artistId, 3);
  const labels = await seedConfirmedChanges(suite.pool, artistId, 2, { type: 'label_changed', severity: 'warning' });
  await suite.pool.query(
    'INSERT INTO feed_items (account_id, confirmed_at, change_id) SELECT $1, confirmed_at, id FROM changes WHERE id = ANY ($2)',
    [accountId, [...changes, ...labels]],
  );
  const edit = await get(`${path}/edit`);
  expect(edit.text).toContain('5 of 5');
  const rules = new URLSearchParams([
    ...[['url', 'https://receiver.example/'] as [string, string], ['min_severity', 'critical'] as [string, string]],
    ...[['change_types', 'release_removed'] as [string, string], ['artist_ids', artistId] as [string, string]],
  ]);
  const form = await post(`${path}/preview`, rules);
  expect([form.status, form.text]).toEqual([200, expect.stringContaining('3 of 5')]);
  expect(form.text).toContain('value="https://receiver.example/"');
  expect(form.text).toMatch(/value="release_removed" checked/);
  const { cookie } = await seedMember(suite.pool, accountId);
  const part = await dashboard.call(`/a/${accountId}${path}/preview`, {
    ...{ cookie, form: rules, headers: { 'HX-Request': 'true', 'HX-Target': 'div#rules-preview' } },
  });
  expect(part.text).toMatch(/^<div id="rules-preview"/);
  expect(part.text).toContain('3 of 5');

  expect((await post(`${path}/edit`, rules)).status).toBe(303);
  const { rows } = await suite.pool.query(
    'SELECT url, min_severity, change_types, artist_ids FROM destinations WHERE id = $1',
    [destinationId],
  );
  expect(rows).toEqual([
    {
      ...{ url: 'https://receiver.example/', min_severity: 'critical' },
      ...{ change_types: ['release_removed'], artist_ids: [artistId] },
    },
  ]);
});

test('each step of a rotation shows the state of the current and the new secret, but each secret only once', async () => {
  const { accountId, email, path, get, post } = await withDestination();
  const first = await post(`${path}/rotate`);
  const secret = SECRET.exec(first.text)?.[0] ?? '';
  expect([first.status, secret]).toEqual([200, expect.stringMatching(SECRET)]);
  const waiting = await get(path);
  expect(waiting.text).toContain("It isn't used for signing yet");
  expect(waiting.text).not.toContain('The current secret was activated');
  expect(waiting.text).not.toMatch(SECRET);
  const reload = await post(`${path}/rotate`);
  expect([reload.status, reload.text]).toEqual([409, expect.not.stringMatching(SECRET)]);

  const replaces = /name="replaces" value="([^"]+)"/.exec(waiting.text)?.[1] ?? '';
  const second = await post(`${path}/rotate`, { replaces });
  expect(SECRET.exec(second.text)?.[0]).not.toBe(secret);
  expect((await post(`${path}/rotate`, { replaces })).status).toBe(409);
  expect((await post(`${path}/activate`)).status).toBe(303);
  const after = await get(path);
  expect(after.text).toMatch(/The current secret was activated <time datetime="[^"]+"[^>]*>just now<\/time>/);
  expect(after.text).not.toContain("It isn't used for signing yet");
  expect((await post(`${path}/activate`)).status).toBe(409);
  expect(await auditOf(accountId)).toEqual(
    ['secret_rotated', 'secret_rotated', 'secret_activated'].map((verb) => `${email} destination.${verb}`),
  );
});

test('a test of a destination shows its result, and tests through the API count toward the same limit', async () => {
  const { accountId, destinationId, path, get, post } = await withDestination();
  const sent = post(`${path}/test`, { change_type: 'label_changed' });
  await until('the test delivery', async () => {
    const { rowCount } = await suite.pool.query(
      `WITH test AS (
         UPDATE deliveries SET state = 'failed', attempt_count = 1, settled_at = now(), next_attempt_at = NULL, relay_at = NULL
          WHERE destination_id = $1 AND trigger = 'test' AND state = 'pending' AND test_body LIKE '%label_changed%' RETURNING id)
       INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                             started_at, ended_at)
       SELECT new_id('att', now()), id, 1, 'failed', 'receiver', 503, 'unexpected_status', 'The receiver responded with 503.', $2,
              now(), now() FROM test`,
      [destinationId, HOSTILE],
    );
    return rowCount === 1;
  });
  const { status, headers } = await sent;
  expect(status).toBe(303);
  const [to = ''] = String(headers.location).replace(`/a/${accountId}`, '').split('#');
  const page = await get(to);
  expect(page.text).toContain('Your receiver responded with 503');
  expect(page.text).not.toContain('<script>alert');
  const other = await withDestination();
  expect((await other.get(to.replace(path, other.path))).text).not.toContain('Your receiver responded with');
  expect((await other.post(`${path}/test`)).status).toBe(404);

  await suite.pool.query(`UPDATE destinations SET plan_required = true WHERE id = $1`, [destinationId]);
  const rest = Array.from({ length: DESTINATION_LIMITS.test - 1 }, () => post(`${path}/test`));
  expect((await Promise.all(rest)).map(({ status: each }) => each)).toEqual(rest.map(() => 403));
  const limited = await post(`${path}/test`);
  expect([limited.status, limited.text]).toEqual([429, expect.stringContaining('Limit reached: 10 tests a minute.')]);
});

test('a destination that is off shows the reason, time and last response, and enabling it offers to send missed changes', async () => {
  const { accountId, artistId, destinationId, path, email, get, post } = await withDestination();
  const [change] = await seedConfirmedChanges(suite.pool, artistId, 1);
  const { rows } = await suite.pool.query(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, trigger, state, attempt_count, settled_at, created_at)
     VALUES (new_id('dlv', now() - interval '1 minute'), $1, $2, $3, 'change', 'failed', 1, now(), now()) RETURNING id`,
    [accountId, destinationId, change],
  );
  await suite.pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt, started_at, ended_at)
     VALUES (new_id('att', now()), $1, 1, 'failed', 'receiver', 500, 'unexpected_status', 'The receiver responded with 500.', $2, now(), now())`,
    [rows[0].id, HOSTILE],
  );
  expect((await post(`${path}/disable`)).status).toBe(303);
  expect((await post(`${path}/disable`)).status).toBe(303);
  const off = await get(path);
  for (const part of ['The channel was disabled, <time', 'sent automatically']) {
    expect(off.text).toContain(part);
  }
  expect(off.text).not.toContain('<script>alert');
  const on = await post(`${path}/enable`);
  const to = String(on.headers.location).replace(`/a/${accountId}`, '');
  expect(to).toMatch(/^\/deliveries\/recover\?destination=dst_/);
  expect((await get(to)).text).toContain('1 change to send');
  expect(await auditOf(accountId)).toEqual(['disabled', 'enabled'].map((verb) => `${email} destination.${verb}`));
});

test('an owner can delete a destination by typing its name', async () => {
  const { accountId, path, url, get, post } = await withDestination();
  const member = await asMember(accountId, 'member');
  expect((await member.get(path)).text).not.toContain('Delete channel');
  expect((await member.post(`${path}/delete`, { name: url })).status).toBe(404);
  const wrong = await post(`${path}/delete`, { name: 'another' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('name-error')]);
  expect((await post(`${path}/delete`, { name: url })).status).toBe(303);
  expect((await get(path)).status).toBe(404);
});

test('every page and action treats a destination of another account as nonexistent', async () => {
  const { path } = await withDestination();
  const { get, post } = await onBusiness();
  const missing = await get('/destinations/dst_00000000000000000000000000000000');
  const url = 'https://receiver.example/';
  for (const answer of [
    ...[await get(path), await get(`${path}/edit`), await post(`${path}/edit`, { url }), await post(`${path}/preview`)],
    ...[await post(`${path}/enable`), await post(`${path}/disable`), await post(`${path}/test`)],
    ...[await post(`${path}/rotate`), await post(`${path}/activate`), await post(`${path}/delete`, { name: url })],
  ]) {
    expect([answer.status, answer.text]).toEqual([404, missing.text]);
  }
});
