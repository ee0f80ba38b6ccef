import { errorBodySchema } from '@artist-watch/contracts/api/errors';
import type { ApiOperation } from '@artist-watch/contracts/api/operations/operation';
import { ALL_OPERATIONS } from '@artist-watch/contracts/openapi/document';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const account = await seedAccount(suite.pool);

const ID_PREFIXES: Readonly<Record<string, string>> = {
  changes: 'chg',
  artists: 'art',
  destinations: 'dst',
  deliveries: 'dlv',
  feeds: 'fed',
  groups: 'grp',
};

function exampleId(path: string): string {
  return `${ID_PREFIXES[path.split('/')[1] ?? '']}_${'0'.repeat(32)}`;
}

describe('404', () => {
  test.each([
    '/',
    '/v1',
    '/v1/',
    '/v2/usage',
    '/v1/nothing',
    '/v1/usage/',
    '/v1/usage//',
    '//v1/usage',
    '/v1//usage',
    '/V1/usage',
    '/v1/Usage',
    '/v1/usage/more',
    '/v1/usage;x=1',
    '/v1/usage%2F',
    '/v1/%',
    '/v1/%zz',
    '/v1/%FF',
    '/v1/usage%00',
    '/v1/../etc/passwd',
    '/__proto__',
    '/v1/constructor',
  ])('an unknown path gets a 404 with a JSON error: %s', async (path) => {
    const answer = await api.call(path, account);
    expect(answer.status).toBe(404);
    expect(errorBodySchema.parse(answer.body).error.code).toBe('not_found');
    expect(answer.headers['x-ratelimit-limit']).toBe('60000');
  });

  test.each([
    ['/changes', 'There is no /changes. Did you mean /v1/changes?'],
    ['/api/v1/changes', 'There is no /api/v1/changes. Did you mean /v1/changes?'],
    ['/v1/usage/', 'There is no /v1/usage/. Did you mean /v1/usage?'],
    ['/v1/chagnes?limit=1', 'There is no /v1/chagnes. Did you mean /v1/changes?'],
    ['/v1/nothing', 'There is no /v1/nothing.'],
    ['/v1/%3Cscript%3E', 'This URL does not exist.'],
    ['/docs/', 'There is no /docs/. Did you mean /docs?'],
  ])('the error message for the path %s is "%s"', async (path, message) => {
    expect((await api.call(path, account)).body.error).toEqual({ code: 'not_found', message });
  });
});

describe('405', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'])(
    'a 405 for %s on a read-only URL lists the supported methods',
    async (method) => {
      const answer = await api.call('/v1/usage', { ...account, method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD');
      expect(answer.body?.error.message ?? '').toMatch(/^(?:[A-Z]+ is not supported here\. Use GET or HEAD\.)?$/);
      expect(errorBodySchema.parse(answer.body).error.code).toBe('method_not_allowed');
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('OPTIONS *, which has no path, gets a 405', async () => {
    const answer = await api.call('*', { ...account, method: 'OPTIONS' });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST, PATCH, DELETE']);
    expect((await api.call('*', { method: 'OPTIONS' })).status).toBe(401);
  });

  test('only existing routes return a 405, before the plan and the input are checked', async () => {
    expect((await api.call('/v1/changes?since=never', { ...account, method: 'POST' })).status).toBe(405);
    expect((await api.call('/v1/nothing', { ...account, method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('400', () => {
  test.each(ALL_OPERATIONS.map(({ id, method, path }) => [id, method, path] as const))(
    'the response of %s to an unknown query parameter says which parameters are valid',
    async (_id, method, path) => {
      const address = `/v1${path.replace('{id}', 'nothing')}?sinze=2026-05-01T12:00:00Z`;
      const answer = await api.call(address, { ...account, method });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
      expect(answer.body.error.message).toMatch(/^"sinze" is not a query parameter here\. (?:Use|Send) /);
      expect(answer.body.error.errors[0]).toMatchObject({ param: 'sinze' });
    },
  );

  test.each(
    ALL_OPERATIONS.filter(({ method }) => method !== 'GET').map((operation) => [operation.id, operation] as const),
  )(
    'an unknown field in the body of %s gets a 400, even if the operation takes no body',
    async (_id, operation: ApiOperation) => {
      const address = `/v1${operation.path.replace('{id}', exampleId(operation.path))}`;
      const body = { ...(operation.body?.example as object | undefined), dri_run: true };
      const answer = await api.call(address, { ...account, method: operation.method, body });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
      const why = operation.body
        ? 'dri_run is an unknown field.'
        : 'This operation takes no request body. Send the request without one.';
      expect(answer.body.error.message).toContain(why);
    },
  );

  test.each(['{}', ''])('the body %j is allowed if the operation takes no body', async (body) => {
    const address = `/v1/destinations/${exampleId('/destinations')}/enable`;
    const headers = { 'Content-Type': 'application/json' };
    expect(await api.call(address, { ...account, method: 'POST', headers, body })).toMatchObject({ status: 404 });
  });

  test.each(['__proto__', 'constructor', 'api_key'])('the unknown query parameter %s gets a 400', async (name) => {
    expect((await api.call(`/v1/changes?${name}=1`, account)).body.error.code).toBe('invalid_input');
  });

  test('one 400 lists all invalid query parameters, unknown ones first, after the plan check', async () => {
    const answer = await api.call(`/v1/changes?since=never&=x&limit=0&limit=1&${'y'.repeat(100)}=1`, account);
    const use =
      'Use since, type, severity, artist_id, group_id, entity_id, status, until, q, include_test, after, limit, cursor.';
    const long = 'y'.repeat(64);
    const errors = [
      { param: '', message: `"" is not a query parameter here. ${use}` },
      { param: long, message: `"${long}" is not a query parameter here. ${use}` },
      { param: 'since', message: expect.stringMatching(/^"since" must be .*\.$/) },
      { param: 'limit', message: '"limit" must not be sent more than once.' },
    ];
    expect(answer.body.error).toMatchObject({ code: 'invalid_input', errors });
    expect(answer.body.error.message).toBe(
      answer.body.error.errors.map(({ message }: { message: string }) => message).join(' '),
    );
    expect((await api.call('/v1/changes?since=never&limit=0', account)).body.error.code).toBe('invalid_since');
    const free = await seedAccount(suite.pool, 'free');
    expect((await api.call('/v1/deliveries?a=1', free)).body.error.code).toBe('plan_required');
  });
});

describe('every response', () => {
  test.each(['a', 'A.b_c-9', 'x'.repeat(64)])('a response has the request id that the caller sent: %s', async (id) => {
    const answer = await api.call('/v1/usage', { ...account, headers: { 'X-Request-Id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  test.each(['', ' ', 'a b', 'ü', '<script>', 'x'.repeat(65), 'a,b'])(
    'a response has a new request id if the caller sent the invalid id %j',
    async (id) => {
      const headers = { 'X-Request-Id': Buffer.from(id).toString('latin1') };
      const answer = await api.call('/v1/usage', { ...account, headers });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test('every response has a request id and rate limit headers, and reveals nothing about our software', async () => {
    const answers = await Promise.all([
      api.call('/v1/usage', account),
      api.call('/v1/usage'),
      api.call('/v1/nothing', account),
      api.call('/v1/usage', { ...account, method: 'OPTIONS' }),
      api.call('/v1/changes?limit=0', account),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 401, 404, 405, 400]);
    for (const { headers } of answers) {
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers['x-ratelimit-limit']).toMatch(/^\d+$/);
      expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toMatch(/^(private, no-cache|no-store)$/);
      expect(Object.keys(headers)).toEqual(expect.not.arrayContaining(['server', 'x-powered-by', 'etag-weak']));
    }
  });

  test('the response is the same if the request target is an absolute URL', async () => {
    const answer = await api.call('http://api.example/v1/changes?limit=0', account);
    expect(answer.body.error.code).toBe('invalid_limit');
  });

  test('the connection stays usable even if the request body was not read', async () => {
    expect((await api.call('/v1/usage', { ...account, method: 'GET', body: { a: 1 } })).status).toBe(200);
  });
});
