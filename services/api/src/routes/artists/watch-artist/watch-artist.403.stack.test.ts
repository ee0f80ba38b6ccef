import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../../compose.js';
import { readConfig } from '../../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

test('no more artists than the plan allows are watched, however many ask at once', async () => {
  const { key } = await seedAccount(suite.pool, 'starter');
  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, n) =>
      api.call('/v1/artists', { method: 'POST', key, body: { platform_id: `1${n}` } }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
  for (const answer of answers.filter((refused) => refused.status !== 201)) {
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'plan_limit_reached' } } });
  }
  expect((await api.call('/v1/usage', { key })).body.artists).toEqual({ used: 10, limit: 10 });
});
