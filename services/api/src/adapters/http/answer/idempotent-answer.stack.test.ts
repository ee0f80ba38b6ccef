import { createHash } from 'node:crypto';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { afterEach, describe, expect, test } from '@jest/globals';
import { compose } from '../../../compose.js';
import { readConfig } from '../../../config.js';

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-01T12:00:00.000Z');
const start = () => startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));
const api = await start();

const create = (
  key: string,
  idempotencyKey: string,
  body: unknown = { url: 'https://receiver.example/' },
  replica = api,
) => replica.call('/v1/destinations', { method: 'POST', key, body, headers: { 'Idempotency-Key': idempotencyKey } });
/** Nobody sends the tests of this suite. */
const AT_ONCE = { wait_seconds: 0 };
const count = async (key: string) => (await api.call('/v1/destinations', { key })).body.data.length;

describe('requests with one Idempotency-Key', () => {
  test('are done once and answered alike, the secret included', async () => {
    const { key } = await seedAccount(pool);
    const first = await create(key, 'a');
    const second = await create(key, 'a');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await count(key)).toBe(1);
  });

  test('are done once and answered alike when they come together, to whichever replica', async () => {
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

  test('wait for the first one, which may have died: then 409 says when to ask again, and 15 seconds later it is done', async () => {
    const { key, accountId } = await seedAccount(pool);
    const body = JSON.stringify({ url: 'https://receiver.example/' });
    await pool.query(
      'INSERT INTO idempotency_keys (account_id, key, request_digest, created_at, begun_at) VALUES ($1, $2, $3, $4, $4)',
      [accountId, 'dead', createHash('sha256').update(`POST /v1/destinations\n${body}`).digest(), clock.now()],
    );
    const early = await create(key, 'dead', body);
    expect(early).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
      headers: { 'retry-after': '1' },
    });
    clock.advance(15_000);
    expect((await create(key, 'dead', body)).status).toBe(201);
  }, 15_000);

  describe('of which the first was done and never answered', () => {
    const post = (path: string, key: string, idempotencyKey: string, body?: unknown) =>
      api.call(path, { method: 'POST', key, body, headers: { 'Idempotency-Key': idempotencyKey } });

    /** As the record stands when a process dies between its work and its answer. */
    async function dieUnanswered(idempotencyKey: string) {
      await pool.query('UPDATE idempotency_keys SET status = NULL, body = NULL, begun_at = created_at WHERE key = $1', [
        idempotencyKey,
      ]);
      clock.advance(15_000);
    }

    /** A destination and a delivery to it that has failed. */
    async function failedDelivery(key: string): Promise<{ destination: string; delivery: string; fail(): unknown }> {
      const destination = (await create(key, 'destination')).body.id;
      const delivery = (await post(`/v1/destinations/${destination}/test`, key, 'test', AT_ONCE)).body.id;
      const fail = () =>
        pool.query(
          `UPDATE deliveries SET state = 'failed', attempt_count = attempt_count + 1, next_attempt_at = NULL,
                  relay_at = NULL, settled_at = now() WHERE id = $1`,
          [delivery],
        );
      await fail();
      return { destination, delivery, fail };
    }

    test('make one destination, with one id and one secret', async () => {
      const { key } = await seedAccount(pool);
      const first = await create(key, 'died-1', { url: 'https://receiver.example/', secret: 'generate' });
      expect(first.body.secret).toMatch(/^whsec_/);
      await dieUnanswered('died-1');
      const second = await create(key, 'died-1', { url: 'https://receiver.example/', secret: 'generate' });
      expect([second.status, second.text]).toEqual([201, first.text]);
      expect(second.headers).not.toHaveProperty('idempotency-replayed');
      expect(await count(key)).toBe(1);
    });

    test('make it up to the limit of the plan as well', async () => {
      const { key } = await seedAccount(pool);
      const made = await Promise.all(Array.from({ length: 10 }, (_, n) => create(key, `died-limit-${n}`)));
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
      expect((await create(key, 'one-too-many')).status).toBe(403);
      await dieUnanswered('died-limit-3');
      expect((await create(key, 'died-limit-3')).body.id).toBe(made[3]?.body.id);
    });

    test('send one test, follow an artist once, and make one next secret', async () => {
      const { key, accountId } = await seedAccount(pool);
      const { id } = (await create(key, 'died-2')).body;
      for (const [path, body] of [
        [`/v1/destinations/${id}/test`, AT_ONCE],
        ['/v1/artists', { platform_id: '27' }],
        [`/v1/destinations/${id}/rotate-secret`],
      ] as const) {
        const first = await post(path, key, `died ${path}`.replaceAll(' ', '-'), body);
        expect(first.status).toBeLessThan(300);
        await dieUnanswered(`died ${path}`.replaceAll(' ', '-'));
        const second = await post(path, key, `died ${path}`.replaceAll(' ', '-'), body);
        expect([second.status, second.text]).toEqual([first.status, first.text]);
      }
      const { rows } = await pool.query('SELECT 1 FROM deliveries WHERE account_id = $1', [accountId]);
      expect(rows).toHaveLength(1);
    });

    test('put the next secret in force once', async () => {
      const { key } = await seedAccount(pool);
      const { id } = (await create(key, 'unsigned')).body;
      const activate = () => post(`/v1/destinations/${id}/activate-secret`, key, 'died-activate');
      await post(`/v1/destinations/${id}/rotate-secret`, key, 'rotate');
      const first = await activate();
      await dieUnanswered('died-activate');
      const second = await activate();
      expect([second.status, second.text]).toEqual([200, first.text]);
    });

    test('send a delivery once more, and not twice', async () => {
      const { key } = await seedAccount(pool);
      const { delivery, fail } = await failedDelivery(key);
      const resend = () => post(`/v1/deliveries/${delivery}/resend`, key, 'died-resend');
      expect((await resend()).body.state).toBe('pending');
      await fail();
      await dieUnanswered('died-resend');
      expect(await resend()).toMatchObject({ status: 202, body: { id: delivery, state: 'failed', trigger: 'resend' } });
    });

    test('are answered with what was done, although the destination was switched off since', async () => {
      const { key } = await seedAccount(pool);
      const { destination, delivery } = await failedDelivery(key);
      const resend = () => post(`/v1/deliveries/${delivery}/resend`, key, 'died-resend-off');
      await resend();
      await post(`/v1/destinations/${destination}/disable`, key, 'off');
      await dieUnanswered('died-resend-off');
      expect(await resend()).toMatchObject({ status: 202, body: { id: delivery, state: 'skipped' } });
      await dieUnanswered('test');
      expect(await post(`/v1/destinations/${destination}/test`, key, 'test', AT_ONCE)).toMatchObject({
        status: 202,
        body: { id: delivery },
      });
    });

    test.each([
      ['disable', 'enable', 'active'],
      ['enable', 'disable', 'off'],
    ])('leave alone what another request did after them: %s, then %s', async (command, other, state) => {
      const { key } = await seedAccount(pool);
      const { id } = (await create(key, `switched-${command}`)).body;
      const idempotencyKey = `died-${command}`;
      await post(`/v1/destinations/${id}/${command}`, key, idempotencyKey);
      await post(`/v1/destinations/${id}/${other}`, key, other);
      await dieUnanswered(idempotencyKey);
      const repeat = await post(`/v1/destinations/${id}/${command}`, key, idempotencyKey);
      expect(repeat).toMatchObject({ status: 200, body: { state } });
    });

    test('make nothing again that was removed since', async () => {
      const { key, accountId } = await seedAccount(pool);
      const { id } = (await create(key, 'died-removed')).body;
      const watched = await post('/v1/artists', key, 'died-unwatched', { platform_id: '28' });
      await api.call(`/v1/destinations/${id}`, { method: 'DELETE', key });
      await api.call(`/v1/artists/${watched.body.id}`, { method: 'DELETE', key });
      // As after its deliveries, when the retention takes the destination.
      await pool.query('DELETE FROM destinations WHERE id = $1', [id]);
      await dieUnanswered('died-removed');
      await dieUnanswered('died-unwatched');
      expect((await create(key, 'died-removed')).status).toBe(404);
      const again = await post('/v1/artists', key, 'died-unwatched', { platform_id: '28' });
      // Nobody reads it any more, and the watch is gone: its instants are those of an artist who was never read.
      const { next_read_at: _, watched_since: __, ...artist } = watched.body;
      expect(again).toMatchObject({ status: 201, body: artist });
      expect(await count(key)).toBe(0);
      const { rows } = await pool.query('SELECT 1 FROM watches WHERE account_id = $1', [accountId]);
      expect(rows).toHaveLength(0);
    });
  });

  describe('of which one was taken for dead and overtaken by a repeat', () => {
    /** Overtakes the request of this key while it waits for a row that somebody holds. */
    async function overtaken<Answer>(idempotencyKey: string, table: string, id: string, send: () => Promise<Answer>) {
      const { answering } = await inTransaction(pool, async (client) => {
        await client.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
        const answering = send();
        await until('the request to wait', async () => {
          const { rowCount } = await client.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rowCount !== 0;
        });
        await pool.query(`UPDATE idempotency_keys SET begun_at = begun_at + interval '1 minute' WHERE key = $1`, [
          idempotencyKey,
        ]);
        return { answering };
      });
      return answering;
    }
    const askAgain = {
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
      headers: { 'retry-after': '1' },
    };

    test('do nothing there, and say when to ask again', async () => {
      const { key, accountId } = await seedAccount(pool);
      expect(await overtaken('overtaken-1', 'accounts', accountId, () => create(key, 'overtaken-1'))).toMatchObject(
        askAgain,
      );
      expect(await count(key)).toBe(0);
    });

    test('do not answer there with a refusal, which may be for what the repeat did', async () => {
      const { key } = await seedAccount(pool);
      const { id } = (await create(key, 'overtaken-destination')).body;
      const activate = () =>
        api.call(`/v1/destinations/${id}/activate-secret`, {
          method: 'POST',
          key,
          headers: { 'Idempotency-Key': 'overtaken-2' },
        });
      expect(await overtaken('overtaken-2', 'destinations', id, activate)).toMatchObject(askAgain);
    });
  });

  describe('of which the answer cannot be kept', () => {
    /** The record refuses to keep answers of this key so many times. */
    async function refuseToKeep(idempotencyKey: string, times: number) {
      // What a sequence has counted stays counted when the statement fails.
      await pool.query(`
        CREATE SEQUENCE refused;
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF nextval('refused') <= ${times} THEN RAISE 'No room.' USING ERRCODE = '53100'; END IF;
            RETURN NEW;
          END $$;
        CREATE TRIGGER refuse BEFORE UPDATE OF status ON idempotency_keys FOR EACH ROW
          WHEN (NEW.key = '${idempotencyKey}' AND NEW.status IS NOT NULL) EXECUTE FUNCTION refuse()`);
    }
    afterEach(() => pool.query('DROP FUNCTION refuse CASCADE; DROP SEQUENCE refused'));

    test('at the first try are answered, and alike', async () => {
      const { key } = await seedAccount(pool);
      await refuseToKeep('unkept-1', 1);
      const first = await create(key, 'unkept-1');
      const second = await create(key, 'unkept-1');
      expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
      expect(second.headers['idempotency-replayed']).toBe('true');
    });

    test('at all are answered, and their repeats from the record', async () => {
      const { key } = await seedAccount(pool);
      await refuseToKeep('unkept-2', 2);
      const first = await create(key, 'unkept-2', { url: 'https://receiver.example/', secret: 'generate' });
      clock.advance(15_000);
      const second = await create(key, 'unkept-2', { url: 'https://receiver.example/', secret: 'generate' });
      expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
      expect(second.headers).not.toHaveProperty('idempotency-replayed');
      expect(await count(key)).toBe(1);
    });

    test('and were refused are a fault of ours, to be tried again', async () => {
      const { key } = await seedAccount(pool);
      await refuseToKeep('unkept-3', 2);
      expect((await create(key, 'unkept-3', { url: 'nonsense' })).status).toBe(503);
    });
  });

  test('are refused when the body or the address is another', async () => {
    const { key } = await seedAccount(pool);
    await create(key, 'c');
    const other = await create(key, 'c', { url: 'https://receiver.example/other' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } });
    const elsewhere = await api.call('/v1/artists', {
      method: 'POST',
      key,
      body: { url: 'https://receiver.example/' },
      headers: { 'Idempotency-Key': 'c' },
    });
    expect(elsewhere.body.error.code).toBe('idempotency_conflict');
  });

  test('are answered alike when they were refused', async () => {
    const { key } = await seedAccount(pool);
    const first = await create(key, 'd', { url: 'nonsense' });
    const second = await create(key, 'd', { url: 'nonsense' });
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(second.text).toBe(first.text);
  });

  test('are two requests after 24 hours, and in two accounts', async () => {
    const [{ key }, other] = [await seedAccount(pool), await seedAccount(pool)];
    const first = await create(key, 'e');
    expect((await create(other.key, 'e')).body.id).not.toBe(first.body.id);
    clock.advance(24 * 3_600_000);
    expect((await create(key, 'e')).body.id).not.toBe(first.body.id);
    expect(await count(key)).toBe(2);
  });

  test('count against the limit like any other', async () => {
    const { key } = await seedAccount(pool);
    const first = await create(key, 'f');
    const second = await create(key, 'f');
    expect(Number(second.headers['x-ratelimit-remaining'])).toBe(Number(first.headers['x-ratelimit-remaining']) - 1);
  });
});

test.each(['', 'a b', 'ä', 'x'.repeat(256)])('the Idempotency-Key %j is invalid_input', async (idempotencyKey) => {
  const { key } = await seedAccount(pool);
  const answer = await create(key, Buffer.from(idempotencyKey).toString('latin1'));
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
});

test('a request without a body takes one too', async () => {
  const { key } = await seedAccount(pool);
  const { id } = (await create(key, 'g')).body;
  const call = { method: 'POST', key, headers: { 'Idempotency-Key': 'h' } };
  const first = await api.call(`/v1/destinations/${id}/rotate-secret`, call);
  expect((await api.call(`/v1/destinations/${id}/rotate-secret`, call)).text).toBe(first.text);
});
