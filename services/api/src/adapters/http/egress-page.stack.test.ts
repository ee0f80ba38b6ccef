import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const start = (addresses: Record<string, string>) =>
  startApi(suite, (env, signal) => compose(readConfig(env), signal), addresses);
const api = await start({ EGRESS_PUBLIC_ADDRESSES: '203.0.113.7, 2001:DB8:1::/48' });
const silent = await start({});

test('the list of webhook source addresses is public and cacheable', async () => {
  const answer = await api.call('/v1/egress');
  expect(answer).toMatchObject({ status: 200, body: { addresses: ['203.0.113.7', '2001:db8:1::/48'] } });
  expect(answer.headers['cache-control']).toBe('public, max-age=3600');
  const headers = { 'If-None-Match': String(answer.headers.etag) };
  expect((await api.call('/v1/egress', { headers })).status).toBe(304);
  const { key } = await seedAccount(suite.pool);
  expect((await api.call('/v1/egress', { key })).body).toEqual(answer.body);
});

test('the list of source addresses is empty if none are configured', async () => {
  expect(await silent.call('/v1/egress')).toMatchObject({ status: 200, body: { addresses: [] } });
});

test('the list of source addresses supports only GET and HEAD', async () => {
  const posted = await api.call('/v1/egress', { method: 'POST' });
  expect(posted).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
  expect(posted.headers.allow).toBe('GET, HEAD');
  expect((await api.call('/v1/egress?x=1')).status).toBe(400);
  expect((await api.call('/v1/egresses')).status).toBe(401);
});

test('the API refuses to start if a source address is invalid', () => {
  expect(() => readConfig({ EGRESS_PUBLIC_ADDRESSES: '203.0.113.0/33' })).toThrow(/EGRESS_PUBLIC_ADDRESSES/);
});
