import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-01T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }), {
  EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
});
const url = 'https://receiver.example/webhooks';
const create = (key: string, body: unknown) => api.call('/v1/destinations', { method: 'POST', key, body });

describe('new destinations', () => {
  test('a new destination is active and signed, and has no rules', async () => {
    const { key } = await seedAccount(pool);
    const answer = await create(key, { url });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^dst_[0-9a-f]{32}$/),
      name: null,
      kind: 'webhook',
      url,
      state: 'active',
      stats_24h: { deliveries: 0, pending: 0, succeeded: 0, failed: 0, skipped: 0 },
      paused_by_plan: false,
      signed: true,
      next_secret_pending: false,
      headers: [],
      standard_webhooks: false,
      rules: { min_severity: null, change_types: [], artist_ids: [], group_ids: [] },
      rule_warnings: [],
      consecutive_failures: 0,
      created_at: '2026-05-01T12:00:00.000Z',
      switched_off_at: null,
      switched_off_reason: null,
      switched_off: null,
      warnings: [],
      notices: [],
      secret: expect.stringMatching(/^whsec_[A-Za-z\d+/]{43}=$/),
    });
  });

  test('the secret of a destination is shown only once and stored encrypted', async () => {
    const { key } = await seedAccount(pool);
    const { id, secret, ...shown } = (await create(key, { url, secret: 'generate' })).body;
    const read = await api.call(`/v1/destinations/${id}`, { key });
    expect(read.body).toEqual({ id, ...shown });
    expect((await api.call('/v1/destinations', { key })).text).not.toContain(secret);
    const { rows } = await pool.query<{ text: string }>('SELECT d::text AS text FROM destinations d WHERE id = $1', [
      id,
    ]);
    expect(rows[0]?.text).not.toContain(Buffer.from(secret).toString('hex'));
  });

  test.each([' ~16 characters~ ', 'x'.repeat(16), '~'.repeat(256)])(
    'a destination can have the secret %j',
    async (secret) => {
      const { key } = await seedAccount(pool);
      expect((await create(key, { url, secret })).body).toMatchObject({ secret, signed: true });
    },
  );

  test('a destination with the secret null is not signed', async () => {
    const { key } = await seedAccount(pool);
    expect((await create(key, { url, secret: null })).body).toMatchObject({ secret: null, signed: false });
  });

  test('a destination can have custom headers, whose values are never returned', async () => {
    const { key } = await seedAccount(pool);
    const headers = [{ name: 'Authorization', value: 'Bearer of-the-customer' }];
    const masked = [{ name: 'Authorization', value: '(hidden)' }];
    const created = await create(key, { url, headers });
    expect(created).toMatchObject({ status: 201, body: { headers: masked } });
    const patch = (body: unknown) => api.call(`/v1/destinations/${created.body.id}`, { method: 'PATCH', key, body });
    const kept = await patch({ name: 'Desk' });
    expect(kept.body).toMatchObject({ headers: masked });
    const shown = await api.call('/v1/destinations', { key });
    for (const { text } of [created, kept, shown]) expect(text).not.toContain('of-the-customer');
    const { rows } = await pool.query<{ text: string }>('SELECT d::text AS text FROM destinations d WHERE id = $1', [
      created.body.id,
    ]);
    expect(rows[0]?.text).not.toContain(Buffer.from('of-the-customer').toString('hex'));
    expect(await patch({ headers: masked })).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect((await patch({ headers: [] })).body).toMatchObject({ headers: [] });
  });

  test.each(['Host', 'X-Service-Signature', 'webhook-id', 'Content-Type', 'Connection', 'a b'])(
    'a destination cannot have a custom header named %s',
    async (name) => {
      const { key } = await seedAccount(pool);
      expect(await create(key, { url, headers: [{ name, value: 'x' }] })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_input' } },
      });
    },
  );

  test('a destination can have Standard Webhooks headers, which an update can remove', async () => {
    const { key } = await seedAccount(pool);
    const { id, standard_webhooks: first } = (await create(key, { url, standard_webhooks: true })).body;
    const patch = (body: unknown) => api.call(`/v1/destinations/${id}`, { method: 'PATCH', key, body });
    expect(first).toBe(true);
    expect((await patch({ name: 'Desk' })).body).toMatchObject({ name: 'Desk', standard_webhooks: true });
    expect((await patch({ standard_webhooks: false })).body).toMatchObject({ standard_webhooks: false });
  });

  test('rules can contain change types from other detectors, with a warning', async () => {
    const { key } = await seedAccount(pool);
    const change_types = ['release_removed', 'release_remved', 'chart_position_lost'];
    const { status, body } = await create(key, { url, rules: { change_types } });
    expect([status, body.rules.change_types]).toEqual([201, change_types]);
    const ignore = 'Ignore this warning if another detector reports this type.';
    const warnings = [
      {
        param: 'rules.change_types.1',
        code: 'unknown_change_type',
        message: `"release_remved" is not one of our change types. Did you mean release_removed? ${ignore}`,
      },
      {
        param: 'rules.change_types.2',
        code: 'unknown_change_type',
        message: `"chart_position_lost" is not one of our change types. ${ignore}`,
      },
    ];
    expect(body.rule_warnings).toEqual(warnings);
    expect((await api.call(`/v1/destinations/${body.id}`, { key })).body.rule_warnings).toEqual(warnings);
  });

  test('rules are stored with each entry only once', async () => {
    const { key } = await seedAccount(pool);
    const artist = `art_${'a'.repeat(32)}`;
    const rules = {
      min_severity: 'warning',
      change_types: ['release_removed', 'upc_changed', 'upc_changed'],
      artist_ids: [artist],
    };
    expect((await create(key, { url, rules })).body.rules).toEqual({
      min_severity: 'warning',
      change_types: ['release_removed', 'upc_changed'],
      artist_ids: [artist],
      group_ids: [],
    });
  });

  test.each(['http://127.0.0.1:9000/x', 'https://does-not-exist-yet.invalid/'])(
    'a destination can have the URL %s',
    async (allowed) => {
      const { key } = await seedAccount(pool);
      expect((await create(key, { url: allowed })).body.url).toBe(allowed);
    },
  );
});

test('concurrent requests never create more than ten destinations', async () => {
  const { key } = await seedAccount(pool);
  const answers = await Promise.all(Array.from({ length: 13 }, () => create(key, { url })));
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
  for (const answer of answers.filter((refused) => refused.status !== 201)) {
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'plan_limit_reached' } } });
  }
  expect((await api.call('/v1/destinations', { key })).body.data).toHaveLength(10);
});
