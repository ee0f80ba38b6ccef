import { type SeededAccount, seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { afterEach, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();

/** Lookups under `silent.example` end only when `answerAll` runs. */
const asked: string[] = [];
let answers: Array<() => void> = [];
const resolve = (name: string): Promise<readonly string[]> => {
  asked.push(name);
  if (!name.endsWith('.silent.example')) return Promise.resolve([]);
  return new Promise((done) => answers.push(() => done([])));
};
const answerAll = () => {
  for (const answer of answers.splice(0)) answer();
};
afterEach(() => {
  answerAll();
  answers = [];
  asked.length = 0;
});

const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { resolve }));
const create = ({ key }: SeededAccount, host: string) =>
  api.call('/v1/destinations', { method: 'POST', key, body: { url: `https://${host}/` } });
const update = ({ key }: SeededAccount, id: string, host: string) =>
  api.call(`/v1/destinations/${id}`, { method: 'PATCH', key, body: { url: `https://${host}/` } });

test("name servers that do not respond for one account's URLs do not delay other accounts", async () => {
  const [attacker, other] = [await seedAccount(suite.pool), await seedAccount(suite.pool)];
  const attack = Array.from({ length: 40 }, (_, index) => create(attacker, `a${index}.silent.example`));
  let settled = 0;
  for (const request of attack) request.then(() => (settled += 1)).catch(() => undefined);
  // Two requests look up their names, ten wait, and the other 28 are rejected.
  await until('the excess requests to be rejected', async () => settled === 28);

  expect((await create(other, 'receiver.example')).status).toBe(201);
  expect(asked).toHaveLength(3);
  expect((await api.call('/v1/artists', { ...attacker, method: 'POST', body: { platform_id: '27' } })).status).toBe(
    201,
  );
  expect(settled).toBe(28);

  const done = Promise.all(attack);
  await until('all requests to get a response', async () => {
    answerAll();
    return settled === 40;
  });
  const refused = (await done).filter(({ status }) => status === 503);
  expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(Array(28).fill('1'));
});

test("no name is looked up for a destination beyond the plan's limit", async () => {
  const account = await seedAccount(suite.pool);
  for (let made = 0; made < 10; made += 1) expect((await create(account, `r${made}.example`)).status).toBe(201);
  asked.length = 0;
  expect((await create(account, 'one-more.silent.example')).body.error.code).toBe('plan_limit_reached');
  expect(asked).toEqual([]);
});

test('no name is looked up for a destination that does not exist or belongs to another account', async () => {
  const [owner, other] = [await seedAccount(suite.pool), await seedAccount(suite.pool)];
  const { id } = (await create(owner, 'receiver.example')).body;
  asked.length = 0;
  expect((await update(other, id, 'other.silent.example')).status).toBe(404);
  expect((await update(other, `dst_${'0'.repeat(32)}`, 'other.silent.example')).status).toBe(404);
  expect(asked).toEqual([]);
  expect((await update(owner, id, 'new.example')).status).toBe(200);
  expect(asked).toEqual(['new.example']);
});
