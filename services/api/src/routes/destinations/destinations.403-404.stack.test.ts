import { ALL_OPERATIONS } from '@artist-watch/contracts/openapi/document';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { accountStore } from '@artist-watch/persistence/account/store';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const database = openDatabase({ url: suite.databaseUrl, poolSize: 1, applicationName: 'test' });
suite.onEnd(() => database.close());
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const business = ALL_OPERATIONS.filter((operation) => operation.businessFeature);
const ofOne = business.filter((operation) => operation.of);
const named = (operations: typeof business) => operations.map((operation) => [operation.id, operation] as const);

test.each(named(business))(
  '%s returns plan_required on plans below Business, before it validates the input',
  async (_, operation) => {
    for (const plan of ['free', 'starter', 'pro'] as const) {
      const { key } = await seedAccount(pool, plan);
      const path = `/v1${operation.path.replace('{id}', 'nothing')}?limit=0`;
      const answer = await api.call(path, { method: operation.method, key, headers: { 'Content-Type': 'text/plain' } });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'plan_required' } } });
      expect(answer.headers['x-ratelimit-remaining']).toBeDefined();
    }
  },
);

describe('after a downgrade', () => {
  test('a customer can read and delete existing destinations after a downgrade, but cannot create or change any', async () => {
    const { key, accountId } = await seedAccount(pool);
    const call = (method: string, path: string, body?: unknown) =>
      api.call(`/v1${path}`, { method, key, ...(body !== undefined && { body }) });
    const { id } = (await call('POST', '/destinations', { url: 'https://receiver.example/' })).body;
    const delivery = (await call('POST', `/destinations/${id}/test`, { wait_seconds: 0 })).body;
    await accountStore(database).setPlan({ id: accountId, plan: 'starter', now: new Date() });
    await until('the limits of the new plan', async () => (await call('GET', '/usage')).body.plan === 'starter');

    expect((await call('GET', '/usage')).body.paused_by_plan).toEqual({ destinations: 1 });
    expect((await call('GET', '/destinations')).body.data).toMatchObject([
      { id, state: 'active', paused_by_plan: true },
    ]);
    expect(await call('GET', `/destinations/${id}`)).toMatchObject({ status: 200, body: { paused_by_plan: true } });
    expect((await call('GET', `/destinations/${id}`)).body.notices).toMatchObject([
      { kind: 'paused_by_plan', message: 'The Starter plan does not include webhook destinations' },
    ]);
    const refused = { status: 403, body: { error: { code: 'plan_required' } } };
    for (const { method, path, body } of business.filter((operation) => !operation.keptOnDowngrade)) {
      expect(await call(method, path.replace('{id}', id), body?.example)).toMatchObject(refused);
    }
    expect(await call('DELETE', `/destinations/${id}`)).toMatchObject({ status: 204 });
    expect((await call('GET', '/destinations')).body.data).toEqual([]);
    expect((await call('GET', '/deliveries')).body.data).toMatchObject([{ id: delivery.id }]);
    expect((await call('GET', `/deliveries/${delivery.id}`)).status).toBe(200);
  });
});

describe("a missing resource and another account's resource return the same 404", () => {
  test.each(named(ofOne))('from %s', async (_, operation) => {
    const { key } = await seedAccount(pool);
    const foreign = await foreignIds();
    const before = await recordOf(foreign);
    const prefix = operation.path.startsWith('/deliveries') ? 'dlv' : 'dst';
    const ids = [foreign[prefix], `${prefix}_${'0'.repeat(32)}`, `${prefix}_1`, '%00', '%F0%9F%92%A9', 'null'];
    const answers = await Promise.all(
      ids.map((id) =>
        api.call(`/v1${operation.path.replace('{id}', id)}`, {
          method: operation.method,
          key,
          ...(operation.body && { body: operation.body.example }),
        }),
      ),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
      expect(answer.text).toBe(answers[0]?.text);
    }
    expect(await recordOf(foreign)).toEqual(before);
  });
});

/** Enabling or disabling the destination would mark its pending delivery as skipped. */
async function foreignIds(): Promise<{ dst: string; dlv: string }> {
  const { key } = await seedAccount(pool);
  const call = { method: 'POST', key };
  const { body } = await api.call('/v1/destinations', { ...call, body: { url: 'https://receiver.example/' } });
  const test = await api.call(`/v1/destinations/${body.id}/test`, { ...call, body: { wait_seconds: 0 } });
  await pool.query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, [body.id]);
  await pool.query(`UPDATE deliveries SET trigger = 'resend' WHERE id = $1`, [test.body.id]);
  return { dst: body.id, dlv: test.body.id };
}

async function recordOf({ dst, dlv }: { dst: string; dlv: string }): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT to_jsonb(t) AS destination, (SELECT to_jsonb(d) FROM deliveries d WHERE d.id = $2) AS delivery,
            (SELECT jsonb_agg(n) FROM destination_notices n WHERE n.destination_id = t.id) AS notices,
            (SELECT jsonb_agg(e ORDER BY e.id) FROM audit_events e WHERE e.account_id = t.account_id) AS audit
       FROM destinations t WHERE t.id = $1`,
    [dst, dlv],
  );
  return rows[0];
}
