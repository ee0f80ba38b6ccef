import { ALL_OPERATIONS } from '@artist-watch/contracts/api/operations/all-operations';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const origin = `http://127.0.0.1:${api.port}`;
const get = (path: string, { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: object } = {}) =>
  fetch(new URL(path, origin), { ...init, redirect: 'error', headers: { ...headers, Connection: 'close' } });

describe('the documentation page', () => {
  test('is there for everybody, and loads nothing from elsewhere', async () => {
    const page = await get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-ratelimit-limit')).toBe('60');
    const html = await page.text();
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    expect(parts.length).toBeGreaterThanOrEqual(5);
    for (const part of parts) {
      expect(new URL(part, `${origin}/docs`).origin).toBe(origin);
      const loaded = await get(new URL(part, `${origin}/docs`).pathname);
      expect([part, loaded.status]).toEqual([part, 200]);
      await loaded.arrayBuffer();
    }
    // The name of the SVG namespace is no address.
    expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\//);
  });

  test('shows the document that the repository has', async () => {
    const document = (await (await get('/docs/openapi.json')).json()) as { paths: Record<string, object> };
    const paths = Object.entries(document.paths);
    const operations = paths.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(operations.sort()).toEqual(
      ALL_OPERATIONS.map(({ method, path }) => `${method.toLowerCase()} ${path}`).sort(),
    );
  });

  test('is in the shape of errors where there is nothing', async () => {
    const missing = await get('/docs/nothing.js');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: 'not_found' } });
    for (const part of [
      'index.html',
      'package.json',
      'README.md',
      'swagger-initializer.js',
      '..%2f..%2fpackage.json',
    ]) {
      const answer = await get(`/docs/${part}`);
      expect([part, answer.status]).toEqual([part, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
    }
    const posted = await get('/docs', { method: 'POST' });
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('GET, HEAD');
    expect((await get('/docs/../v1/usage')).status).toBe(401);
    expect((await get('/docsx')).status).toBe(401);
  });
});

test.each([
  ['an entity tag that it does not have', { 'If-Match': '"x"' }],
  ['an instant that it is younger than', { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
  ['a range beyond its end', { Range: 'bytes=999999999-' }],
])('a part that is asked for with %s is refused as the fault of the caller', async (_what, headers) => {
  const refused = await get('/docs/swagger-ui.css', { headers });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'invalid_input' } }]);
  // It is no part of the file.
  for (const name of ['etag', 'last-modified', 'content-range', 'accept-ranges']) {
    expect([name, refused.headers.get(name)]).toEqual([name, null]);
  }
  expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
});

test('the documentation is there for a target in absolute form', async () => {
  expect((await api.call('http://api.example/docs/nothing')).status).toBe(404);
  expect((await api.call('http://api.example/docsx')).status).toBe(401);
});

test('every documented operation has a route', async () => {
  const { key } = await seedAccount(suite.pool);
  for (const { id, method, path } of ALL_OPERATIONS) {
    const { status, body } = await api.call(`/v1${path.replace('{id}', 'nothing')}`, { method, key });
    expect([id, status]).not.toEqual([id, 405]);
    expect([id, body?.error?.message]).not.toEqual([id, 'There is nothing at this address.']);
  }
});
