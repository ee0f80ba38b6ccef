import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { type DashboardUnderTest, seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { type SeededDestination, seedConfirmedChanges, seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

let suite: Suite;
let dashboard: DashboardUnderTest;
let seeded: SeededDestination;
let cookie: string;
let base: string;
const HOSTILE = '<script>alert(1)</script>';

beforeAll(async () => {
  suite = await useSuite();
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
  seeded = await seedDestination(suite.pool, { consecutiveFailures: 7 });
  ({ cookie } = await seedMember(suite.pool, seeded.accountId));
  base = `/a/${seeded.accountId}`;
});

const get = (path: string, as = cookie) => dashboard.call(`${base}${path}`, { cookie: as });

async function seedDelivery({ accountId, artistId, destinationId }: SeededDestination): Promise<string> {
  const [changeId] = await seedConfirmedChanges(suite.pool, artistId, 1);
  const { rows } = await suite.pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, account_id, destination_id, change_id, trigger, state, attempt_count, settled_at, created_at,
                             last_failure)
     VALUES (new_id('dlv', now()), $1, $2, $3, 'change', 'failed', 1, now(), now(), 'unexpected_status:5xx') RETURNING id`,
    [accountId, destinationId, changeId],
  );
  const { id } = rows[0] as { id: string };
  await suite.pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                           started_at, ended_at)
     VALUES (new_id('att', now()), $1, 1, 'failed', 'receiver', 503, 'unexpected_status', 'The receiver responded with 503.', $2,
             now(), now())`,
    [id, HOSTILE],
  );
  return id;
}

test('the page of a destination shows consecutive failures, recent deliveries, and why and when it was switched off', async () => {
  await suite.pool.query('UPDATE destinations SET name = $2 WHERE id = $1', [seeded.destinationId, HOSTILE]);
  const list = await get('/destinations');
  expect(list.status).toBe(200);
  expect(list.text).toContain('7 of 20');
  expect(list.text).toMatch(/class="badge warn">.*?<span>failing<\/span>/);
  expect(list.text).not.toContain('<span>active</span>');
  expect(list.text).not.toContain(HOSTILE);
  for (const path of [`/destinations/${seeded.destinationId}`, '']) {
    const { text } = await get(path);
    expect(text).toContain('7 failures in a row');
    expect(text).toContain(
      path === '' ? 'After 20, we switch it off.' : 'After 20 failures in a row, we switch the channel off.',
    );
    expect(text).not.toContain(HOSTILE);
  }
  await suite.pool.query(
    `UPDATE destinations SET state = 'off', switched_off_at = now(), switched_off_reason = '20 failures in a row' WHERE id = $1`,
    [seeded.destinationId],
  );
  const off = await get(`/destinations/${seeded.destinationId}`);
  expect(off.text).toContain('20 failures in a row');
  expect(off.text).toContain("We're keeping new changes until you enable this channel");
  expect(off.text).toContain(`${base}/deliveries/recover?destination=${seeded.destinationId}`);
});

test('the page of a delivery shows its attempts, the cause, the remedy, and the response as plain text', async () => {
  const id = await seedDelivery(seeded);
  const { status, text } = await get(`/deliveries/${id}`);
  expect(status).toBe(200);
  expect(text).toContain('The receiver responded with 503.');
  expect(text).toContain('The receiver must return a 2xx status within 10 seconds');
  expect(text).toContain('&lt;script>alert(1)');
  expect(text).not.toContain(HOSTILE);
  expect(text).not.toContain('Sent again');
  expect(text).toMatch(new RegExp(`href="${base}/changes/chg_\\w+"`));
  await suite.pool.query('UPDATE deliveries SET round_start = 1 WHERE id = $1', [id]);
  const again = (await get(`/deliveries/${id}`)).text;
  expect(again.indexOf('Sent again: no attempts yet')).toBeLessThan(again.indexOf('Earlier</h3>'));
});

test('a value that several attempts have in common is shown only once', async () => {
  const id = await seedDelivery(seeded);
  await suite.pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                           started_at, ended_at)
     SELECT new_id('att', now()), delivery_id, number + 1, outcome, blame, status_code, error, reason, response_excerpt,
            started_at, ended_at FROM attempts WHERE delivery_id = $1`,
    [id],
  );
  const { text } = await get(`/deliveries/${id}`);
  expect(text.match(/The receiver responded with 503\./g)).toHaveLength(3);
  expect(text.match(/must return a 2xx status/g)).toHaveLength(1);
  expect(text.match(/<pre><code>&lt;script>/g)).toHaveLength(1);
  expect(text.match(/Same response\./g)).toHaveLength(1);
  await suite.pool.query(
    `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                           started_at, ended_at)
     SELECT new_id('att', now()), delivery_id, number + step, outcome, blame, status_code, error, reason, response_excerpt,
            started_at, ended_at FROM attempts, generate_series(1, 8) step WHERE delivery_id = $1 AND number = 2`,
    [id],
  );
  const of10 = (await get(`/deliveries/${id}`)).text;
  expect(of10.match(/<pre><code>&lt;script>/g)).toHaveLength(1);
  expect(of10.match(/Same response\./g)).toHaveLength(5);
});

test('the page of a skipped delivery says why it was skipped', async () => {
  const id = await seedDelivery(seeded);
  await suite.pool.query("UPDATE deliveries SET state = 'skipped', skipped_reason = 'destination_off' WHERE id = $1", [
    id,
  ]);
  const setState = (state: string) =>
    suite.pool.query(
      `UPDATE destinations SET state = $2::destination_state, switched_off_at = CASE $2 WHEN 'off' THEN now() END WHERE id = $1`,
      [seeded.destinationId, state],
    );
  await setState('off');
  const { text } = await get(`/deliveries/${id}`);
  expect(text).toContain('The channel was off');
  expect(text).toContain("We don't send this change automatically.");
  expect(text).toMatch(/<a href="[^"]+\/destinations\/dst_\w+">Enable the channel<\/a>, then send it\./);
  expect(text).not.toContain('Send again');
  await setState('active');
  expect((await get(`/deliveries/${id}`)).text).toContain('automatically. You can send it now.');
  expect(text).not.toContain('destination_off');
  expect(text).not.toContain('Not sent');
  await suite.pool.query('DELETE FROM attempts WHERE delivery_id = $1', [id]);
  const untried = (await get(`/deliveries/${id}`)).text;
  expect(untried).toContain('Not sent');
  expect(untried).not.toContain('No attempts yet');
});

test('on a plan without destinations, the page of deliveries names the smallest plan that includes them', async () => {
  const { accountId } = await seedAccount(suite.pool, 'free');
  const free = await seedMember(suite.pool, accountId);
  const { status, text } = await dashboard.call(`/a/${accountId}/deliveries`, free);
  expect([status, text]).toEqual([200, expect.stringContaining('Channels come with the Starter plan')]);
});

test('filters are part of the URL, each excludes deliveries that do not match, and an invalid filter shows an error', async () => {
  const id = await seedDelivery(seeded);
  for (const query of [
    'state=failed',
    'status_class=5xx',
    'error=unexpected_status',
    'blame=receiver',
    'since=2026-01-01',
  ]) {
    expect((await get(`/deliveries?${query}`)).text).toContain(id);
  }
  for (const query of ['state=pending', 'status_class=4xx', 'trigger=test', 'until=2026-01-01']) {
    const { status, text } = await get(`/deliveries?${query}`);
    expect([query, status]).toEqual([query, 200]);
    expect(text).not.toContain(id);
  }
  const wrong = await get('/deliveries?state=gone');
  expect(wrong.status).toBe(400);
  expect(wrong.text.match(/Choose one from the list\./g)).toHaveLength(1);
  expect(wrong.text).toMatch(/id="state-error">\s*Choose one/);
});

test('an open list of deliveries refreshes itself and keeps its filter', async () => {
  const id = await seedDelivery(seeded);
  const path = `${base}/deliveries?state=failed`;
  expect((await get('/deliveries?state=failed')).text).toContain(`data-hx-get="${path}"`);
  const headers = { 'HX-Request': 'true', 'HX-Target': 'div#live' };
  const { text } = await dashboard.call(path, { cookie, headers });
  expect(text).toMatch(/^<div id="live"/);
  expect(text).toContain(`/deliveries/${id}`);
});

test('ids of another account return the same 404 as nonexistent ids', async () => {
  const other = await seedDestination(suite.pool);
  const foreign = await seedDelivery(other);
  const missing = await get('/deliveries/dlv_00000000000000000000000000000000');
  expect(missing.status).toBe(404);
  for (const path of [`/deliveries/${foreign}`, `/destinations/${other.destinationId}`, '/destinations/x']) {
    expect([path, await get(path)]).toMatchObject([path, { status: 404, text: missing.text }]);
  }
  expect((await get(`/deliveries?destination=${other.destinationId}`)).text).not.toContain(foreign);
});

async function withMissed(states: readonly string[]) {
  const own = await seedDestination(suite.pool);
  const ids = [];
  for (const state of states) {
    const id = await seedDelivery(own);
    await suite.pool.query(
      `UPDATE deliveries SET state = $2::delivery_state,
              settled_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END,
              next_attempt_at = CASE WHEN $2 = 'pending' THEN now() + interval '5 minutes' END WHERE id = $1`,
      [id, state],
    );
    ids.push(id);
  }
  const { cookie: as, email } = await seedMember(suite.pool, own.accountId);
  const call = (path: string, form?: Readonly<Record<string, string>>) =>
    dashboard.call(`/a/${own.accountId}${path}`, { cookie: as, ...(form && { form }) });
  return { ...own, ids, email, call };
}

const hidden = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

async function recoveredOf(accountId: string): Promise<string[]> {
  const { rows } = await suite.pool.query<{ id: string }>(
    `SELECT id FROM deliveries WHERE account_id = $1 AND trigger = 'recover' ORDER BY id`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}

test('a recovery sends each delivery of its preview exactly once, and shows a new preview if the deliveries have changed', async () => {
  const { accountId, destinationId, ids, email, call } = await withMissed([
    'failed',
    'succeeded',
    'skipped',
    'pending',
  ]);
  const [failed, , skipped] = ids as [string, string, string, string];
  const path = `/deliveries/recover?destination=${destinationId}&since=2026-01-01`;
  const preview = await call(path);
  expect(preview.text).toContain('2 changes to send');
  for (const id of ids) expect([id, preview.text.includes(id)]).toEqual([id, [failed, skipped].includes(id)]);
  const { expected = '', ...form } = hidden(preview.text);
  const outdated = await call('/deliveries/recover', { ...form, expected: '3' });
  expect([outdated.status, outdated.text]).toEqual([409, expect.stringContaining('2 changes to send')]);
  expect(await recoveredOf(accountId)).toEqual([]);

  const sent = await call('/deliveries/recover', { ...form, expected });
  expect([sent.status, await recoveredOf(accountId)]).toEqual([303, [failed, skipped].sort()]);
  expect((await call('/deliveries/recover', { ...form, expected })).status).toBe(409);
  expect((await call(path)).text).toContain('No missed changes match');
  const { rows } = await suite.pool.query('SELECT actor_name, details FROM audit_events WHERE account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([{ actor_name: email, details: { recovered: 2 } }]);
});

test('a recovery for a destination that is off shows a preview but sends nothing', async () => {
  const { accountId, destinationId, call } = await withMissed(['failed', 'skipped']);
  await suite.pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [
    destinationId,
  ]);
  const one = await call(`/deliveries/recover?destination=${destinationId}`);
  expect(one.text).toContain('2 changes to send');
  expect(one.text).toContain('Enable it first');
  expect(one.text).not.toMatch(/>\s*Send 2 changes\s*<\/button>/);
  expect(one.text).not.toContain('name="expected"');
  const all = await call('/deliveries/recover');
  expect(all.text).not.toContain('name="expected"');
  expect(all.text).toContain("2 missed changes can't be sent yet");
  expect(all.text).toMatch(new RegExp(`Enable their channels first: <a href="[^"]*/destinations/${destinationId}">`));
  expect(all.text).not.toContain('No missed changes');
  const refused = await call('/deliveries/recover', { destination: destinationId, expected: '0' });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('This channel is switched off')]);
  expect(await recoveredOf(accountId)).toEqual([]);
});

test('a settled delivery can be sent again, and a pending delivery shows the time of its next attempt', async () => {
  const { accountId, ids, email, call } = await withMissed(['failed', 'pending']);
  const [failed, pending] = ids as [string, string];
  expect((await call(`/deliveries/${failed}/resend`, {})).status).toBe(303);
  expect((await call(`/deliveries/${failed}/resend`, {})).status).toBe(409);
  const { rows } = await suite.pool.query(
    'SELECT actor_name, action, subject_id FROM audit_events WHERE account_id = $1',
    [accountId],
  );
  expect(rows).toEqual([{ actor_name: email, action: 'delivery.resent', subject_id: failed }]);
  const { text } = await call(`/deliveries/${pending}`);
  expect(text).toMatch(/<time [^>]*data-countdown[^>]*>in \d minutes/);
  expect(text).not.toContain('Send again');
  expect((await get(`/deliveries/${pending}/resend`)).status).toBe(404);
  expect((await dashboard.call(`${base}/deliveries/${failed}/resend`, { cookie, form: {} })).status).toBe(404);
});
