import { openApiDocument } from '@artist-watch/contracts/openapi/document';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const { key } = await seedAccount(suite.pool);
const url = 'https://receiver.example/webhooks';

test.each([
  [{}, 'url is missing'],
  [{ url: 7 }, 'url must be a string'],
  [{ url: 'receiver.example' }, 'absolute http or https'],
  [{ url: 'https://hooks.slack.com/services/T1/B2/secret' }, 'kind must be "slack"'],
  [{ url: 'http://hooks.slack.com/services/T1/B2/secret?x=1', kind: 'webhook' }, 'kind must be "slack"'],
  [{ url: 'https://discord.com/api/webhooks/1/secret' }, 'kind must be "discord"'],
  [{ url: 'ftp://receiver.example/' }, 'https:// or http://'],
  [{ url: 'https://user:secret@receiver.example/' }, 'user name'],
  [{ url: 'https://receiver.example:22/' }, 'port'],
  [{ url: 'http://127.0.0.1:9000/' }, 'is not on the public internet'],
  [{ url: 'http://169.254.169.254/latest/meta-data' }, 'is not on the public internet'],
  [{ url: 'http://[::ffff:10.0.0.1]/' }, 'is not on the public internet'],
  [{ url: 'http://localhost:9000/' }, 'is not on the public internet'],
  [{ url: 'https://receiver.example/\u0000' }, 'control characters'],
  [{ url, secret: 'short' }, 'secret must be'],
  [{ url, secret: 'x'.repeat(257) }, 'secret must be'],
  [{ url, secret: 'with a line\nbreak in it' }, 'secret must be'],
  [{ url, secret: 'two-secrets-in,one-with-a-comma' }, 'without a comma'],
  [{ url, secret: 'sixteen umlauts äöü' }, 'secret must be'],
  [{ url, secret: 5 }, 'secret must be'],
  [{ url, rules: { min_severity: 'fatal' } }, 'rules.min_severity must be one of critical, warning, info'],
  [
    { url, rules: { change_types: ['release_added', 'Release Removed'] } },
    'rules.change_types.1 must be snake_case, such as release_removed',
  ],
  [{ url, rules: { change_types: ['x'.repeat(9_000)] } }, 'rules.change_types.0 must be at most 64 characters'],
  [{ url, rules: { change_types: 'release_removed' } }, 'rules.change_types must be an array'],
  [{ url, rules: { artist_ids: ['27'] } }, 'rules.artist_ids.0'],
  [{ url, rules: { severity: 'info' } }, 'rules.severity is an unknown field'],
  [{ url, rule: {} }, 'rule is an unknown field'],
])('the body %j is rejected: %s', async (body, message) => {
  const answer = await api.call('/v1/destinations', { method: 'POST', key, body });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
  expect(answer.body.error.message).toContain(message);
  expect((await api.call('/v1/destinations', { key })).body.data).toEqual([]);
});

const longest = {
  artist_ids: (n: number) => `art_${n.toString(16).padStart(32, '0')}`,
  change_types: () => 'availability_expanded',
};

test.each(['artist_ids', 'change_types'] as const)(
  'a body with the documented maximum of %s is accepted, and one more entry is rejected',
  async (list) => {
    const schema = openApiDocument().components?.schemas?.DestinationRulesInput as {
      properties: Record<string, { maxItems: number }>;
    };
    const most = schema.properties[list]?.maxItems as number;
    const { key: own } = await seedAccount(suite.pool);
    const create = (entries: readonly string[]) =>
      api.call('/v1/destinations', {
        ...{ method: 'POST', key: own },
        body: { url, secret: 'x'.repeat(256), rules: { [list]: entries } },
      });
    const entries = Array.from({ length: most }, (_, n) => longest[list](n));
    const created = await create(entries);
    expect([created.status, created.body.rules?.[list]]).toEqual([201, [...new Set(entries)]]);
    const refused = await create([...entries, longest[list](most)]);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(refused.body.error.message).toContain(`rules.${list} must have at most ${most} entries`);
  },
);
