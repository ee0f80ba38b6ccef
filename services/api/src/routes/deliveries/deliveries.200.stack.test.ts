import type { ApiAnswer } from '@artist-watch/harness/api-call';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const account = await seedAccount(pool);
const get = (path: string) => api.call(`/v1/deliveries${path}`, account);
const idsOf = (answer: ApiAnswer): string[] => answer.body.data.map((delivery: { id: string }) => delivery.id);

const makeDestination = async (): Promise<string> =>
  (await api.call('/v1/destinations', { ...account, method: 'POST', body: { url: 'https://receiver.example/' } })).body
    .id;
const [first, second] = [await makeDestination(), await makeDestination()];

/** Tests of the first destination, oldest first, each a delivery. */
const deliveries: string[] = [];
for (let n = 0; n < 5; n += 1) {
  const answer = await api.call(`/v1/destinations/${first}/test`, {
    ...account,
    method: 'POST',
    body: { wait_seconds: 0 },
  });
  expect(answer.status).toBe(202);
  deliveries.push(answer.body.id);
}
const [settled] = deliveries as [string];
await pool.query(
  `UPDATE deliveries SET state = 'failed', attempt_count = 1, next_attempt_at = NULL, relay_at = NULL, settled_at = now()
    WHERE id = $1`,
  [settled],
);
await pool.query(
  `INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt, started_at, ended_at)
   VALUES ('att_1', $1, 1, 'failed', 'receiver', 500, 'status', 'The receiver answered 500.', '<oops>',
           '2026-05-01T12:00:00.100Z', '2026-05-01T12:00:00.200Z')`,
  [settled],
);
const newestFirst = [...deliveries].reverse();

describe('deliveries', () => {
  test('are listed newest first', async () => {
    const answer = await get('');
    expect(idsOf(answer)).toEqual(newestFirst);
    expect(answer.body.next_cursor).toBeNull();
    expect(answer.body.data[0]).toMatchObject({
      destination_id: first,
      change_id: null,
      state: 'pending',
      trigger: 'test',
    });
  });

  test('are narrowed by destination, state and change, together', async () => {
    expect(idsOf(await get(`?destination=${second}`))).toEqual([]);
    expect(idsOf(await get(`?destination=${first}&state=failed`))).toEqual([settled]);
    expect(idsOf(await get('?state=pending'))).toHaveLength(4);
    expect(idsOf(await get(`?change=chg_${'0'.repeat(32)}`))).toEqual([]);
  });

  test('are paged, and a cursor keeps its filters', async () => {
    const page = await get('?state=pending&limit=3');
    expect(idsOf(page)).toEqual(newestFirst.slice(0, 3));
    const next = /^<\/v1\/deliveries(.*)>; rel="next"$/.exec(page.headers.link as string)?.[1] as string;
    const last = await get(next);
    expect(idsOf(last)).toEqual(newestFirst.slice(3, 4));
    expect(last.headers.link).toBeUndefined();
    const other = await get(`?state=failed&cursor=${page.body.next_cursor}`);
    expect(other).toMatchObject({ status: 400, body: { error: { code: 'invalid_cursor' } } });
  });

  test.each([
    ['state=lost', 'invalid_input'],
    ['state=pending&state=failed', 'invalid_input'],
    ['destination=dst_1', 'invalid_input'],
    ['change=%00', 'invalid_input'],
    ['limit=201', 'invalid_limit'],
    ['cursor=x', 'invalid_cursor'],
  ])('by %s are %s', async (query, code) => {
    expect(await get(`?${query}`)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test('are shown with every attempt', async () => {
    expect((await get(`/${settled}`)).body).toMatchObject({
      id: settled,
      state: 'failed',
      attempts: [
        {
          number: 1,
          outcome: 'failed',
          blame: 'receiver',
          status_code: 500,
          error: 'status',
          reason: 'The receiver answered 500.',
          response_excerpt: '<oops>',
          started_at: '2026-05-01T12:00:00.100Z',
          ended_at: '2026-05-01T12:00:00.200Z',
        },
      ],
    });
  });

  test('are sent once more when they are settled, and not before', async () => {
    const resend = (id: string) => api.call(`/v1/deliveries/${id}/resend`, { ...account, method: 'POST' });
    expect(await resend(settled)).toMatchObject({
      status: 202,
      body: { id: settled, state: 'pending', trigger: 'resend' },
    });
    expect(await resend(settled)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });
});
