import { ALL_OPERATIONS } from '@artist-watch/contracts/openapi/document';
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

describe('requests for the documentation', () => {
  test('the documentation page needs no API key and loads nothing from other hosts', async () => {
    const page = await get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-ratelimit-limit')).toBe('3000');
    const html = await page.text();
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    expect(parts.length).toBeGreaterThanOrEqual(5);
    for (const part of parts) {
      expect(new URL(part, `${origin}/docs`).origin).toBe(origin);
      const loaded = await get(new URL(part, `${origin}/docs`).pathname);
      expect([part, loaded.status]).toEqual([part, 200]);
      await loaded.arrayBuffer();
    }
    // The SVG namespace URL is allowed, because browsers don't load it.
    expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\//);
  });

  test('the OpenAPI document under /docs has every operation', async () => {
    const document = (await (await get('/docs/openapi.json')).json()) as { paths: Record<string, object> };
    const paths = Object.entries(document.paths);
    const operations = paths.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(operations.sort()).toEqual(
      ALL_OPERATIONS.map(({ method, path }) => `${method.toLowerCase()} ${path}`).sort(),
    );
  });

  test('missing files and unsupported methods under /docs get error responses', async () => {
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

describe('the documentation file', () => {
  const parts = ['/docs', '/docs/openapi.json', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/start.js'];

  test.each(parts)('%s is publicly cacheable, and compressed if the client accepts gzip', async (path) => {
    const plain = await get(path, { headers: { 'Accept-Encoding': 'br, gzip;q=0' } });
    const gzipped = await get(path, { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect(await gzipped.text()).toBe(await plain.text());
    expect([plain.status, gzipped.status]).toEqual([200, 200]);
    expect([plain.headers.get('content-encoding'), gzipped.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    for (const { headers } of [plain, gzipped]) {
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['public, max-age=600', 'Accept-Encoding']);
    }
    const tag = String(gzipped.headers.get('etag'));
    expect(plain.headers.get('etag')).not.toBe(tag);
    const held = await get(path, { headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': tag } });
    expect([held.status, await held.text()]).toEqual([304, '']);
  });

  test.each(['/docs/swagger-ui-bundle.js', '/docs/openapi.json'])(
    '%s is compressed to less than a third of its size',
    async (path) => {
      const [plain, gzipped] = await Promise.all(
        ['identity', 'gzip'].map(async (encoding) => {
          const { headers } = await get(path, { method: 'HEAD', headers: { 'Accept-Encoding': encoding } });
          return Number(headers.get('content-length'));
        }),
      );
      expect(gzipped).toBeLessThan((plain as number) / 3);
    },
  );
});

test('the rate limit of the documentation is enough for ten people on one IP address, and API requests do not count', async () => {
  const own = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
  for (let turn = 0; turn < 70; turn += 1) expect((await own.call('/v1/usage')).status).toBe(401);
  const tenPeople = 10 * 10 * 7;
  const load = (requests: number) => Promise.all(Array.from({ length: requests }, () => own.call('/docs/nothing')));
  for (let left = 3_000 - tenPeople; left >= 0; left -= 100) {
    const answers = await load(left === 3_000 - tenPeople ? tenPeople : 100);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toContain(String(left));
  }
  const refused = await own.call('/docs/openapi.json');
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await own.call('/v1/usage')).status).toBe(401);
});

test('the documentation is served if the request target is an absolute URL', async () => {
  expect((await api.call('http://api.example/docs/nothing')).status).toBe(404);
  expect((await api.call('http://api.example/docsx')).status).toBe(401);
});

test('every documented operation has a route', async () => {
  const { key } = await seedAccount(suite.pool);
  for (const { id, method, path } of ALL_OPERATIONS) {
    const { status, body } = await api.call(`/v1${path.replace('{id}', 'nothing')}`, { method, key });
    expect([id, status]).not.toEqual([id, 405]);
    expect([id, body?.error?.message]).not.toEqual([id, expect.stringMatching(/^(?:There is no \/|This URL)/)]);
  }
});
