import { createHash } from 'node:crypto';
import { seedAccount } from '@artist-watch/harness/api-fixtures';
import {
  type DashboardUnderTest,
  type SeededMember,
  seedMember,
  seedSession,
  startDashboard,
} from '@artist-watch/harness/dashboard-fixtures';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

let suite: Suite;
let dashboard: DashboardUnderTest;
let owner: SeededMember;
beforeAll(async () => {
  suite = await useSuite();
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
  const { accountId } = await seedAccount(suite.pool, 'pro');
  owner = await seedMember(suite.pool, accountId);
});

const HOSTILE = '<script>alert(1)</script>';
const get = (path: string, { accountId, cookie } = owner) => dashboard.call(`/a/${accountId}${path}`, { cookie });
const post = (path: string, form: Record<string, string> = {}, { accountId, cookie } = owner) =>
  dashboard.call(`/a/${accountId}${path}`, { cookie, form });

async function create(fields: Record<string, string>, as = owner) {
  const [, draft = ''] = /name="draft" value="([^"]+)"/.exec((await get('/keys', as)).text) ?? [];
  return { draft, ...(await post('/keys/create', { ...fields, draft }, as)) };
}

async function isValid(key: string): Promise<boolean> {
  const { rowCount } = await suite.pool.query('SELECT FROM api_keys WHERE secret_sha256 = $1 AND revoked_at IS NULL', [
    createHash('sha256').update(key).digest(),
  ]);
  return rowCount === 1;
}

async function audited({ accountId }: SeededMember): Promise<string[]> {
  const { rows } = await suite.pool.query<{ event: string }>(
    `SELECT concat_ws(' ', actor_name, action, subject_name, details ->> 'scopes') AS event FROM audit_events
      WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  return rows.map(({ event }) => event);
}

describe('API keys', () => {
  test('a key is shown only once and works until it is revoked, and creating and revoking it are audited', async () => {
    const created = await create({ name: HOSTILE, scopes: 'read' });
    expect([created.status, created.headers['cache-control']]).toEqual([201, 'private, no-store']);
    expect(created.text).not.toContain(HOSTILE);
    const key = /aw_live_\w{36}/.exec(created.text)?.[0] ?? '';
    expect(await isValid(key)).toBe(true);

    const listed = await get('/keys');
    expect(listed.text).toContain('Valid keys: 2 of 5');
    expect(listed.text).toContain(`${key.slice(0, 12)}…`);
    expect(listed.text).not.toMatch(/aw_live_\w{36}|<script>alert/);
    const id = /keys\/(key_\w+)\/revoke/.exec(listed.text)?.[1] ?? '';

    for (let times = 0; times < 2; times += 1) expect((await post(`/keys/${id}/revoke`)).status).toBe(303);
    expect(await isValid(key)).toBe(false);
    expect((await get('/keys')).text).toContain('Valid keys: 1 of 5');
    expect((await get('/keys?show=revoked')).text).toContain(`${key.slice(0, 12)}…`);
    const name = `${HOSTILE} (${key.slice(0, 12)}…)`;
    expect(await audited(owner)).toEqual([
      `${owner.email} api_key.created ${name} read`,
      `${owner.email} api_key.revoked ${name}`,
    ]);
  });

  test('a key can have an expiry date, after which it no longer counts toward the limit', async () => {
    const { accountId } = await seedAccount(suite.pool, 'pro');
    const expiring = await seedMember(suite.pool, accountId);
    expect((await create({ name: 'Reports', days: '30' }, expiring)).status).toBe(201);
    const { rows } = await suite.pool.query(
      `SELECT extract(epoch FROM expires_at - created_at)::int / 86400 AS days FROM api_keys
        WHERE account_id = $1 AND name = 'Reports'`,
      [accountId],
    );
    expect(rows).toEqual([{ days: 30 }]);
    expect((await get('/keys', expiring)).text).toContain('Valid keys: 2 of 5');
    await suite.pool.query("UPDATE api_keys SET expires_at = now() WHERE account_id = $1 AND name = 'Reports'", [
      accountId,
    ]);
    expect((await get('/keys', expiring)).text).toContain('Valid keys: 1 of 5');
  });

  test('a key without a name or above the limit of the plan is rejected, and the form keeps the input', async () => {
    const { accountId } = await seedAccount(suite.pool, 'free');
    const full = await seedMember(suite.pool, accountId);
    // The page says that the limit has been reached, so that members don't request a code for nothing.
    expect((await get('/keys', full)).text).toContain("You've reached your plan's API key limit.");
    expect((await get('/keys')).text).not.toContain("You've reached your plan's API key limit.");
    const refused = await create({ name: 'Reports', scopes: 'manage' }, full);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('allows 1 API key. Revoke one first.'),
    ]);
    expect(refused.text).toMatch(/value="Reports"/);
    expect((await create({ name: '  ' }, full)).status).toBe(400);
    expect((await post('/keys/create', { name: 'Without a draft' }, full)).status).toBe(400);
    expect(await audited(full)).toEqual([]);
  });

  test('a form that is submitted twice at the same time creates one key and shows it once', async () => {
    const { accountId } = await seedAccount(suite.pool, 'pro');
    const twice = await seedMember(suite.pool, accountId);
    const { draft, status } = await create({ name: 'Reports' }, twice);
    const again = await Promise.all([1, 2].map(() => post('/keys/create', { name: 'Reports', draft }, twice)));
    expect([status, ...again.map((answer) => answer.status)]).toEqual([201, 303, 303]);
    expect((await get('/keys', twice)).text).toContain('Valid keys: 2 of 5');
    expect(await audited(twice)).toHaveLength(1);
  });

  test('a key of another account cannot be found, and only owners see the actions for keys', async () => {
    const other = await seedAccount(suite.pool);
    expect((await post(`/keys/${other.keyId}/revoke`)).status).toBe(404);
    expect(await isValid(other.key)).toBe(true);
    const member = await seedMember(suite.pool, owner.accountId, { role: 'member' });
    const seen = await get('/keys', member);
    expect(seen.status).toBe(200);
    expect(seen.text).not.toContain('/revoke');
  });
});

describe('settings', () => {
  test('a member can choose the time zone in which pages show times', async () => {
    expect((await get('/settings')).text).toContain('<option selected>UTC<');
    expect((await post('/settings/zone', { zone: 'Mars/Olympus' })).status).toBe(400);
    expect((await post('/settings/zone', { zone: 'Asia/Kathmandu' })).status).toBe(303);
    const settings = await get('/settings');
    expect(settings.text).toContain('<option selected>Asia/Kathmandu<');
    expect(settings.text).toMatch(/title="[^"]+ (GMT|UTC)\+0?5:45"/);
  });

  test('signing out everywhere ends all sessions of the member, but no sessions of other members', async () => {
    const member = await seedMember(suite.pool, owner.accountId);
    const elsewhere = await seedSession(suite.pool, member.email);
    await suite.pool.query('UPDATE sessions SET user_agent = $2 WHERE email = $1', [
      member.email,
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ]);
    expect((await get('/settings', member)).text.match(/Firefox on Windows/g)?.length).toBeGreaterThanOrEqual(2);
    const ended = await post('/settings/sessions/end-all', {}, member);
    expect(ended.headers['set-cookie']).toContainEqual(expect.stringMatching(/session=;.*Max-Age=0/));
    for (const cookie of [member.cookie, elsewhere]) {
      expect((await get('/settings', { ...member, cookie })).headers.location).toMatch(/^\/sign-in/);
    }
    expect((await get('/settings')).status).toBe(200);
  });
});
