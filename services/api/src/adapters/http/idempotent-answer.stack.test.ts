import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-01T12:00:00.000Z');
const start = (accountWaitMs = 60_000) =>
  startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock, accountWaitMs }));
const api = await start();

const post = (path: string, key: string, idempotencyKey: string, body?: unknown, replica = api) =>
  replica.call(path, { method: 'POST', key, body, headers: { 'Idempotency-Key': idempotencyKey } });

const create = (
  key: string,
  idempotencyKey: string,
  body: unknown = { url: 'https://receiver.example/' },
  replica = api,
) => post('/v1/destinations', key, idempotencyKey, body, replica);
/** No worker runs in this suite, so a test request must not wait for the delivery attempt. */
const AT_ONCE = { wait_seconds: 0 };
const count = async (key: string) => (await api.call('/v1/destinations', { key })).body.data.length;

describe('requests with the same Idempotency-Key', () => {
  test('requests with the same key run once, and all get the same response, including the secret', async () => {
    const { key } = await seedAccount(pool);
    const first = await create(key, 'a');
    const second = await create(key, 'a');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await count(key)).toBe(1);
  });

  test('requests that reach several replicas at the same time run once, and all get the same response', async () => {
    const { key } = await seedAccount(pool);
    const other = await start();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => create(key, 'b', undefined, n % 2 === 0 ? api : other)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(({ headers }) => !('idempotency-replayed' in headers))).toHaveLength(1);
    expect(await count(key)).toBe(1);
  });

  test('repeated requests wait while the first one runs, and get a 409 with Retry-After if it takes too long', async () => {
    const impatient = await start(50);
    const { key } = await seedAccount(pool);
    const { id } = (await create(key, 'tested')).body;
    const send = () => post(`/v1/destinations/${id}/test`, key, 'slow', { wait_seconds: 10 }, impatient);
    const first = send();
    const delivery = await until('the test delivery', async () => {
      const { rows } = await pool.query('SELECT id FROM deliveries WHERE destination_id = $1', [id]);
      return rows[0]?.id as string | undefined;
    });
    expect(await send()).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
      headers: { 'retry-after': '1' },
    });
    await pool.query(
      `UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, relay_at = NULL, settled_at = now() WHERE id = $1`,
      [delivery],
    );
    const answer = await first;
    expect(answer).toMatchObject({ status: 202, body: { id: delivery, state: 'failed' } });
    expect((await send()).text).toBe(answer.text);
  });

  test('repeated requests send only one test, even if the first one failed while it waited for the attempt', async () => {
    const { key, accountId } = await seedAccount(pool);
    const { id } = (await create(key, 'tested')).body;
    const send = () => post(`/v1/destinations/${id}/test`, key, 'died', AT_ONCE);
    const first = await send();
    // Resets the row to its state from before the response was known.
    await pool.query('UPDATE idempotency_keys SET status = NULL, body = NULL, progress = $2 WHERE account_id = $1', [
      accountId,
      { deliveryId: first.body.id },
    ]);
    expect((await send()).text).toBe(first.text);
    const { rowCount } = await pool.query('SELECT FROM deliveries WHERE account_id = $1', [accountId]);
    expect(rowCount).toBe(1);
  });

  test('a repeated request gets the first response again, and does not undo later changes', async () => {
    const { key, accountId } = await seedAccount(pool);
    const created = await create(key, 'made');
    const { id } = created.body;
    const disabled = await post(`/v1/destinations/${id}/disable`, key, 'off');
    await post(`/v1/destinations/${id}/enable`, key, 'on');
    const watched = await post('/v1/artists', key, 'watched', { platform_id: '28' });
    await api.call(`/v1/artists/${watched.body.id}`, { method: 'DELETE', key });
    expect((await post(`/v1/destinations/${id}/disable`, key, 'off')).text).toBe(disabled.text);
    expect((await post('/v1/artists', key, 'watched', { platform_id: '28' })).text).toBe(watched.text);
    expect((await api.call(`/v1/destinations/${id}`, { key })).body.state).toBe('active');
    await api.call(`/v1/destinations/${id}`, { method: 'DELETE', key });
    expect((await create(key, 'made')).text).toBe(created.text);
    expect(await count(key)).toBe(0);
    const { rowCount } = await pool.query('SELECT FROM watches WHERE account_id = $1', [accountId]);
    expect(rowCount).toBe(0);
  });

  describe('if the response cannot be stored', () => {
    // The change and its response are stored in one transaction.
    const withRefusal = async (work: () => Promise<void>) => {
      await pool.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE 'No room.' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON idempotency_keys FOR EACH ROW
          WHEN (NEW.key = 'unkept') EXECUTE FUNCTION refuse()`);
      try {
        await work();
      } finally {
        await pool.query('DROP FUNCTION refuse CASCADE');
      }
    };
    const stateOf = async (accountId: string) => {
      const { rows } = await pool.query(
        `SELECT (SELECT jsonb_agg(d ORDER BY id) FROM destinations d WHERE account_id = $1) AS destinations,
                (SELECT jsonb_agg(d ORDER BY id) FROM deliveries d WHERE account_id = $1) AS deliveries,
                (SELECT count(*) FROM watches WHERE account_id = $1) AS watches,
                (SELECT count(*) FROM feed_tokens WHERE account_id = $1) AS feeds,
                (SELECT count(*) FROM audit_events WHERE account_id = $1) AS audited`,
        [accountId],
      );
      return rows[0];
    };

    test.each([
      ['/v1/destinations', { url: 'https://receiver.example/' }],
      ['/v1/destinations/{active}/disable', undefined],
      ['/v1/destinations/{off}/enable', undefined],
      ['/v1/destinations/{off}/test', AT_ONCE],
      ['/v1/destinations/{off}/rotate-secret', undefined],
      ['/v1/destinations/{active}/activate-secret', undefined],
      ['/v1/destinations/{active}/recover', { since: '2026-01-01T00:00:00Z' }],
      ['/v1/deliveries/{delivery}/resend', undefined],
      ['/v1/deliveries/recover', { since: '2026-01-01T00:00:00Z' }],
      ['/v1/artists', { platform_id: '27' }],
      ['/v1/artists/bulk', { artists: ['28', '29'] }],
      ['/v1/feeds', undefined],
      ['/v1/test-changes', undefined],
    ])(
      'a request whose response cannot be stored changes nothing, gets a 503 and can be repeated: %s',
      async (address, body) => {
        const { key, accountId } = await seedAccount(pool);
        const active = (await create(key, 'active')).body.id;
        const off = (await create(key, 'off')).body.id;
        await post(`/v1/destinations/${active}/rotate-secret`, key, 'rotate');
        await post(`/v1/destinations/${off}/disable`, key, 'disable');
        const delivery = (await post(`/v1/destinations/${active}/test`, key, 'test', AT_ONCE)).body.id;
        await pool.query(
          `UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, relay_at = NULL, settled_at = now() WHERE id = $1`,
          [delivery],
        );
        const path = address.replace('{active}', active).replace('{off}', off).replace('{delivery}', delivery);
        const send = () => post(path, key, 'unkept', body);
        const before = await stateOf(accountId);
        await withRefusal(async () => expect((await send()).status).toBe(503));
        expect(await stateOf(accountId)).toEqual(before);
        const answer = await send();
        expect(answer.status).toBeLessThan(300);
        expect(await send()).toMatchObject({ text: answer.text, headers: { 'idempotency-replayed': 'true' } });
      },
    );

    test('a request whose 404 response cannot be stored gets a 503', async () => {
      const { key } = await seedAccount(pool);
      const enable = () => post(`/v1/destinations/dst_${'0'.repeat(32)}/enable`, key, 'unkept');
      await withRefusal(async () => expect((await enable()).status).toBe(503));
      expect((await enable()).status).toBe(404);
    });
  });

  test('a repeated request is rejected if its body or URL differs', async () => {
    const { key } = await seedAccount(pool);
    await create(key, 'c');
    const other = await create(key, 'c', { url: 'https://receiver.example/other' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } });
    expect(other.body.error.message).toBe(
      'This Idempotency-Key was used with a different body or URL. Send the same request again or use a new key.',
    );
    const elsewhere = await api.call('/v1/artists', {
      method: 'POST',
      key,
      body: { url: 'https://receiver.example/' },
      headers: { 'Idempotency-Key': 'c' },
    });
    expect(elsewhere.body.error.code).toBe('idempotency_conflict');
  });

  test('a repeated request gets the same error if the first one was rejected', async () => {
    const { key } = await seedAccount(pool);
    const enable = () => post(`/v1/destinations/dst_${'0'.repeat(32)}/enable`, key, 'd');
    const first = await enable();
    const second = await enable();
    expect([first.status, second.status]).toEqual([404, 404]);
    expect(second).toMatchObject({ text: first.text, headers: { 'idempotency-replayed': 'true' } });
  });

  test('a request that got a 400 can be corrected and repeated with the same key', async () => {
    const { key } = await seedAccount(pool);
    const wrong = await create(key, 'corrected', { url: 'nonsense' });
    expect(wrong).toMatchObject({ status: 400, body: { error: { errors: [{ param: 'url' }] } } });
    expect((await create(key, 'corrected')).status).toBe(201);
    expect(await count(key)).toBe(1);
  });

  test('requests with the same key both run if they are 24 hours apart or from different accounts', async () => {
    const [{ key }, other] = [await seedAccount(pool), await seedAccount(pool)];
    const first = await create(key, 'e');
    expect((await create(other.key, 'e')).body.id).not.toBe(first.body.id);
    clock.advance(24 * 3_600_000);
    expect((await create(key, 'e')).body.id).not.toBe(first.body.id);
    expect(await count(key)).toBe(2);
  });

  test('repeated requests count against the rate limit', async () => {
    const { key } = await seedAccount(pool);
    const first = await create(key, 'f');
    const second = await create(key, 'f');
    expect(Number(second.headers['x-ratelimit-remaining'])).toBe(Number(first.headers['x-ratelimit-remaining']) - 1);
  });
});

test.each(['', 'a b', 'ä', 'x'.repeat(256)])(
  'the Idempotency-Key %j is rejected as invalid_input',
  async (idempotencyKey) => {
    const { key } = await seedAccount(pool);
    const answer = await create(key, Buffer.from(idempotencyKey).toString('latin1'));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
  },
);

test('a request without a body can also have an Idempotency-Key', async () => {
  const { key } = await seedAccount(pool);
  const { id } = (await create(key, 'g')).body;
  const call = { method: 'POST', key, headers: { 'Idempotency-Key': 'h' } };
  const first = await api.call(`/v1/destinations/${id}/rotate-secret`, call);
  expect((await api.call(`/v1/destinations/${id}/rotate-secret`, call)).text).toBe(first.text);
});
