import { seedAccount, seedFeed, seedKey, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const HOUR_MS = 3_600_000;

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));

async function accountWithFeed(...agesHours: number[]) {
  const account = await seedAccount(pool, 'free');
  const artistId = await seedWatchedArtist(pool, account.accountId);
  const instants = agesHours.map((hours) => new Date(clock.now().getTime() - hours * HOUR_MS));
  const ids = await seedFeed(pool, account.accountId, artistId, instants);
  const create = (body?: object, headers = {}) => api.call('/v1/feeds', { ...account, method: 'POST', body, headers });
  return { ...account, ids, create };
}

const entries = (xml: string) => [...xml.matchAll(/<id>(urn:uuid:[0-9a-f-]{36})<\/id>/g)].map(([, id]) => id);

describe('feeds', () => {
  test('a feed needs only its token, lists the newest change first, and returns a 304 if nothing has changed', async () => {
    const account = await accountWithFeed(1, 2, 24 * 8);
    const created = await account.create({ name: 'Newsroom' });
    expect(created).toMatchObject({ status: 201, body: { name: 'Newsroom', created_by: account.keyId } });
    const { path, token, url } = created.body;
    expect([path, url]).toEqual([`/v1/changes/feed.atom?token=${token}`, null]);
    const feed = await api.call(path);
    expect([feed.status, feed.headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    expect(feed.headers['x-ratelimit-limit']).toBe('60');
    expect(feed.text).toContain('<updated>2026-05-31T11:00:00.000Z</updated>');
    expect(feed.text).not.toContain(token);
    const [feedId, ...changes] = entries(feed.text);
    expect(new Set(changes).size).toBe(2);
    expect((await api.call(path, { headers: { 'If-None-Match': feed.headers.etag as string } })).status).toBe(304);

    expect((await api.call(`http://api.example${path}#newest`)).text).toBe(feed.text);

    const other = await account.create();
    expect(entries((await api.call(other.body.path)).text)).toEqual([feedId, ...changes]);
    expect((await api.call('/v1/changes/feed.atom', account)).text).toBe(feed.text);
    const filtered = entries((await api.call(`${path}&severity=critical&until=2026-05-31T11:00:00Z`)).text);
    expect(filtered).toEqual([expect.not.stringMatching(feedId as string), changes[1]]);
  });

  test('a feed with more than 100 changes links to the next page and lists each change exactly once', async () => {
    const account = await accountWithFeed(...Array.from({ length: 205 }, (_, hours) => hours / 10));
    const { path, token } = (await account.create()).body;
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let page: string | undefined = `${path}&type=release_removed`; page !== undefined; ) {
      const { status, text } = await api.call(page);
      expect(status).toBe(200);
      const ids = [...text.matchAll(/<aw:change_id>(chg_[0-9a-f]{32})<\/aw:change_id>/g)].map(([, id]) => id as string);
      sizes.push(ids.length);
      seen.push(...ids);
      const next = /<link rel="next" href="([^"]+)"\/>/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      if (next !== undefined) expect(new URLSearchParams(next).get('token')).toBe(token);
      const url: URL | undefined = next === undefined ? undefined : new URL(next, `http://api.example${page}`);
      page = url && url.pathname + url.search;
    }
    expect(sizes).toEqual([100, 100, 5]);
    expect(seen).toEqual(account.ids);
  });

  test('the URLs of feeds and the links to the next page of a list start with API_PUBLIC_URL', async () => {
    const settings = { API_PUBLIC_URL: 'https://gateway.label.test/watch/v1' };
    const behindGateway = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }), settings);
    const account = await accountWithFeed(1, 2);
    await seedWatchedArtist(pool, account.accountId);
    const { body } = await behindGateway.call('/v1/feeds', { ...account, method: 'POST' });
    expect(body.url).toBe(`https://gateway.label.test/watch/v1/changes/feed.atom?token=${body.token}`);
    await seedKey(pool, account.accountId);
    for (const path of ['/changes', '/artists', '/keys']) {
      const { headers } = await behindGateway.call(`/v1${path}?limit=1`, account);
      expect(headers.link).toContain(`<https://gateway.label.test/watch/v1${path}?cursor=`);
    }
  });

  test('a feed escapes hostile names and omits characters that XML does not allow', async () => {
    const account = await accountWithFeed(1);
    const name = `</title><script>alert("1")</script>&lt;\u0007]]>`;
    await pool.query('UPDATE changes SET summary = $2, entity_name = $2 WHERE id = $1', [account.ids[0], name]);
    const { text } = await api.call('/v1/changes/feed.atom', account);
    expect(text).toContain(
      '<title type="text">&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;lt;\uFFFD]]&gt;</title>',
    );
    expect(text).not.toContain('<script');
    expect(text).not.toContain('\u0007');
  });

  test('each feed has its own rate limit, so reading it does not count against API keys or other feeds', async () => {
    const account = await accountWithFeed(1);
    const [feed, other] = [(await account.create()).body.path, (await account.create()).body.path];
    const before = Number((await api.call('/v1/usage', account)).headers['x-ratelimit-remaining']);
    for (let read = 1; read <= 60; read += 1) {
      const { status, headers } = await api.call(feed);
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(60 - read)]);
    }
    expect((await api.call(feed)).status).toBe(429);
    expect((await api.call(other)).status).toBe(200);
    const after = Number((await api.call('/v1/usage', account)).headers['x-ratelimit-remaining']);
    expect(after).toBe(before - 1);
  });

  test('the token of a feed works only for feed URLs, and only until the feed is revoked', async () => {
    const account = await accountWithFeed(1);
    const { id, token, path } = (await account.create()).body;
    expect((await api.call(`/v1/changes?token=${token}`)).status).toBe(401);
    expect((await api.call('/v1/changes', { key: token })).status).toBe(401);
    expect((await api.call(`/v1/changes/feed.atom?token=${account.key}`)).status).toBe(401);
    expect((await api.call(`${path.slice(0, -1)}?`)).status).toBe(401);
    expect((await api.call(path, { method: 'POST' })).status).toBe(405);
    expect((await api.call(path)).status).toBe(200);
    const listed = await api.call('/v1/feeds', account);
    expect(listed.body.data).toEqual([
      expect.objectContaining({ id, name: null, hint: token.slice(0, 12), last_used_at: null }),
    ]);
    expect(listed.text).not.toContain(token);
    const stranger = await seedAccount(pool);
    const revoke = (by: { key: string }) => api.call(`/v1/feeds/${id}`, { ...by, method: 'DELETE' });
    expect((await revoke(stranger)).status).toBe(404);
    expect((await revoke(account)).status).toBe(204);
    expect((await revoke(account)).status).toBe(404);
    await until('the refusal', async () => (await api.call(path)).status === 401);
  });

  test('a feed is created once per Idempotency-Key and audited, and an account can have at most 20 feeds', async () => {
    const account = await accountWithFeed();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await account.create({ name: 'A' }, headers);
    expect((await account.create({ name: 'A' }, headers)).body).toEqual(first.body);
    for (let made = 1; made < 20; made += 1) expect((await account.create()).status).toBe(201);
    expect(await account.create()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const { rows } = await pool.query(
      `SELECT count(*)::int AS created FROM audit_events WHERE account_id = $1 AND action = 'feed.created'`,
      [account.accountId],
    );
    expect(rows).toEqual([{ created: 20 }]);
  });

  test.each([
    ['', 'must not be empty'],
    [' ', 'start with a space'],
    ['a\u0000', 'must not contain NUL'],
    ['a\u0085', 'control characters'],
    ['\uD83D', 'lone surrogate'],
    ['\u{1F3B8}'.repeat(101), 'at most 100 characters'],
  ])('a feed with the name %j is rejected with an explanation', async (name, words) => {
    const { create } = await accountWithFeed();
    const refused = await create({ name });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(refused.body.error.message).toContain(words);
    const longest = '\u{1F3B8}'.repeat(100);
    expect(await create({ name: longest })).toMatchObject({ status: 201, body: { name: longest } });
  });
});
