import { bulkLinesSchema } from '@artist-watch/contracts/api/artist-search';
import { type SeededAccount, seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'bulk', artists: 6, budget: 'unlimited' });
suite.onEnd(() => simulator.stop());
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { accountWaitMs: 60_000 }), {
  PLATFORM_URL: simulator.url,
  PLATFORM_BUDGET: '10000',
});
const [nina, other] = simulator.state.artists();
if (!nina || !other) throw new Error('The simulator has no artists.');
const twins = [1, 2].map((followers) =>
  simulator.state.addArtist({
    ...other,
    id: simulator.state.idOf('artist', 900 + followers),
    name: 'Two of a Kind',
    followers,
  }),
);

const search = (account: SeededAccount, q: string) =>
  api.call(`/v1/artists/search?q=${encodeURIComponent(q)}`, { key: account.key });
const bulk = (account: SeededAccount, artists: readonly string[], headers: Record<string, string> = {}) =>
  api.call('/v1/artists/bulk', { method: 'POST', key: account.key, body: { artists }, headers });
const csv = (account: SeededAccount, text: string | Buffer) =>
  api.call('/v1/artists/bulk', {
    method: 'POST',
    key: account.key,
    body: text,
    headers: { 'Content-Type': 'text/csv; charset=utf-8' },
  });
const resultsOf = ({ body }: { body: { data: { result: string }[] } }) => body.data.map(({ result }) => result);
const watchedBy = async ({ accountId }: SeededAccount): Promise<number> =>
  (await pool.query('SELECT count(*)::int AS n FROM watches WHERE account_id = $1', [accountId])).rows[0].n;
const searchesOf = async ({ accountId }: SeededAccount): Promise<number> =>
  (await pool.query('SELECT used FROM search_allowances WHERE account_id = $1', [accountId])).rows[0]?.used ?? 0;

describe('searches for artists', () => {
  test("a search returns the results in the platform's order and shows which artists are watched", async () => {
    const account = await seedAccount(pool, 'free');
    const answer = await search(account, 'two of a kind');
    expect(answer).toMatchObject({ status: 200, body: { next_cursor: null } });
    expect(answer.body.data).toEqual(
      [...twins].reverse().map(({ id, name, followers }) => ({
        platform_id: id,
        name,
        followers,
        platform_url: `https://www.deezer.com/artist/${id}`,
        artist_id: null,
      })),
    );
    const watched = await api.call('/v1/artists', {
      method: 'POST',
      key: account.key,
      body: { platform_id: twins[0]?.id },
    });
    const again = await search(account, 'Two of a Kind');
    expect(again.body.data.map((one: { artist_id: string }) => one.artist_id)).toEqual([null, watched.body.id]);
    expect((await search(await seedAccount(pool), 'two of')).body.data[1].artist_id).toBeNull();
    expect((await search(account, 'nobody at all')).body.data).toEqual([]);
    expect((await search(account, '\u0000 ')).body.data).toEqual([]);
    expect(await searchesOf(account)).toBe(3);
  });

  test('a search whose name is missing or too long gets a 400 and does not use the allowance', async () => {
    const account = await seedAccount(pool);
    for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(101)}`, '?q=a&q=b']) {
      expect(await api.call(`/v1/artists/search${query}`, account)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_input' } },
      });
    }
    expect(await searchesOf(account)).toBe(0);
  });

  test('searches beyond the daily allowance get a 429, and a search with an invalid platform response does not count', async () => {
    const account = await seedAccount(pool, 'free');
    await pool.query(
      `INSERT INTO search_allowances SELECT $1, (now() AT TIME ZONE 'UTC')::date + n, 49 FROM generate_series(0, 1) n`,
      [account.accountId],
    );
    simulator.setQuirks({ notJson: 1 });
    expect(await search(account, 'x')).toMatchObject({ status: 502, body: { error: { code: 'upstream_error' } } });
    simulator.setQuirks({});
    expect((await search(account, 'x')).status).toBe(200);
    const refused = await search(account, 'x');
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'daily_allowance_exceeded' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(resultsOf(await bulk(account, ['somebody', '901']))).toEqual(['not_looked_up', 'watched']);
  });
});

describe('lists of artists', () => {
  test('at most 200 characters of each line are returned, and a line over 2,048 characters is rejected', async () => {
    const account = await seedAccount(pool);
    const long = `https://www.deezer.com/artist/${nina.id}?${'a'.repeat(1_900)}`;
    const { body } = await bulk(account, [long, `${long}${'a'.repeat(200)}`]);
    expect(bulkLinesSchema.parse(body).data).toMatchObject([
      { input: long.slice(0, 200), result: 'watched' },
      {
        input: long.slice(0, 200),
        result: 'invalid',
        error: { message: 'The line is too long. Use at most 2,048 characters.' },
      },
    ]);
  });

  test('each line of a list gets a result, in the same order', async () => {
    const account = await seedAccount(pool);
    const lines = [
      nina.id,
      ` https://www.deezer.com/fr/artist/${other.id}?utm=1 `,
      nina.id,
      nina.name.toUpperCase(),
      'Two of a Kind',
      'Two',
      'Nobody at all',
      'https://www.deezer.com/album/1',
      'https://open.spotify.com/artist/4tZwfgrHOc3mvqYlEYSvVi',
      '',
      'a\u0000\ud800',
    ];
    const answer = await bulk(account, lines);
    expect(answer.status).toBe(200);
    const { data } = bulkLinesSchema.parse(answer.body);
    expect(data.map(({ line, input }) => [line, input])).toEqual(lines.map((text, index) => [index + 1, text]));
    expect(data.map(({ result, error, candidates }) => [result, error?.code ?? null, candidates.length])).toEqual([
      ['watched', null, 0],
      ['watched', null, 0],
      ['already_watched', null, 0],
      ['already_watched', null, 0],
      ['ambiguous', null, 2],
      ['ambiguous', null, 2],
      ['unknown', null, 0],
      ['invalid', 'unsupported_url', 0],
      ['invalid', 'unsupported_url', 0],
      ['invalid', 'invalid_input', 0],
      ['invalid', 'invalid_input', 0],
    ]);
    expect(data[3]?.artist).toMatchObject({ platform_id: nina.id, status: 'pending' });
    expect(await watchedBy(account)).toBe(2);
    expect(resultsOf(await bulk(account, lines)).slice(0, 2)).toEqual(['already_watched', 'already_watched']);
    const { rows } = await pool.query('SELECT name, next_poll_at FROM artists WHERE platform_id = $1', [nina.id]);
    expect(rows).toEqual([{ name: expect.any(String), next_poll_at: expect.any(Date) }]);
  });

  test('artists are added up to the limit of the plan or day, and the result for each further line names the limit', async () => {
    const account = await seedAccount(pool, 'starter');
    const first = await bulk(
      account,
      Array.from({ length: 12 }, (_, index) => String(1_000 + index)),
    );
    expect(resultsOf(first)).toEqual([...Array(10).fill('watched'), 'limit_reached', 'limit_reached']);
    expect(first.body.data[11].error).toEqual({
      code: 'plan_limit_reached',
      message: 'Your plan allows 10 artists.',
    });
    const spent = await seedAccount(pool, 'starter');
    await pool.query(
      `INSERT INTO watch_allowances SELECT $1, (now() AT TIME ZONE 'UTC')::date + n, 48 FROM generate_series(0, 1) n`,
      [spent.accountId],
    );
    const rest = await bulk(spent, ['1000', '1001', '1002']);
    expect(resultsOf(rest)).toEqual(['watched', 'watched', 'limit_reached']);
    expect(rest.body.data[2].error.message).toBe('Your plan allows 50 new artists a day.');
  });

  test("concurrent lists and single requests never exceed the plan's limit or skip a line", async () => {
    const account = await seedAccount(pool, 'starter');
    const ids = (from: number) => Array.from({ length: 4 }, (_, index) => String(from + index));
    const answers = await Promise.all([
      ...[2_000, 2_002, 2_004, 2_006].map((from) => bulk(account, ids(from).reverse())),
      ...ids(2_020).map((id) =>
        api.call('/v1/artists', { method: 'POST', key: account.key, body: { platform_id: id } }),
      ),
    ]);
    expect(answers.filter(({ status }) => ![200, 201, 403].includes(status))).toEqual([]);
    const watchedBySingle = answers.filter(({ status }) => status === 201).length;
    const watchedByLists = answers
      .slice(0, 4)
      .flatMap(resultsOf)
      .filter((result) => result === 'watched').length;
    expect(watchedBySingle + watchedByLists).toBe(10);
    expect(await watchedBy(account)).toBe(10);
  });

  test('a list repeated with its Idempotency-Key gets the same response, even after changes', async () => {
    const account = await seedAccount(pool, 'starter');
    const lines = [nina.name, '3001', 'Two of a Kind', ''];
    const key = { 'idempotency-key': 'list-1' };
    const first = await bulk(account, lines, key);
    expect(resultsOf(first)).toEqual(['watched', 'watched', 'ambiguous', 'invalid']);
    expect((await bulk(account, lines, key)).headers['idempotency-replayed']).toBe('true');
    simulator.setQuirks({ notJson: 1 });
    await bulk(account, ['3002']);
    const repeat = await bulk(account, lines, key);
    simulator.setQuirks({});
    expect(resultsOf(repeat)).toEqual(resultsOf(first));
    expect(await watchedBy(account)).toBe(3);
    expect(await bulk(account, ['3003'], key)).toMatchObject({ status: 409 });
  });

  test('a list can be CSV: the API reads the first column, skips a header line and reports line numbers', async () => {
    const account = await seedAccount(pool);
    const answer = await csv(
      account,
      `\ufeffArtist;Note\r\n4001;"a\nb"\r\n\r\n"https://www.deezer.com/artist/4002";\r\n`,
    );
    expect(answer.body.data).toMatchObject([
      { input: '4001', result: 'watched' },
      { line: 5, input: 'https://www.deezer.com/artist/4002', result: 'watched' },
    ]);
    for (const text of ['4001,"open', Buffer.from([0x34, 0xff]), 'artist\n\n']) {
      expect(await csv(account, text)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    }
  });

  test('a list is audited as if its artists were added one by one, with the name of the API key', async () => {
    const account = await seedAccount(pool);
    await pool.query("UPDATE api_keys SET name = 'Importer' WHERE account_id = $1", [account.accountId]);
    await bulk(account, [nina.id]);
    await api.call('/v1/artists', { method: 'POST', key: account.key, body: { platform_id: other.id } });
    const { rows } = await pool.query(
      'SELECT action, actor_kind, actor_name FROM audit_events WHERE account_id = $1 ORDER BY id',
      [account.accountId],
    );
    const event = { action: 'artist.watched', actor_kind: 'api_key', actor_name: 'Importer (aw_live_…)' };
    expect(rows).toEqual([event, event]);
  });

  test('a list must have 1 to 500 lines and at most 128 KiB', async () => {
    const account = await seedAccount(pool);
    const long = Array.from(
      { length: 500 },
      (_, index) => `https://www.deezer.com/artist/${5_000 + index}?utm_source=app`,
    );
    expect(resultsOf(await bulk(account, long))).toEqual(Array(500).fill('watched'));
    expect((await bulk(account, [])).status).toBe(400);
    expect((await bulk(account, [...long, '1'])).status).toBe(400);
    expect(await bulk(account, ['x'.repeat(131_072)])).toMatchObject({
      status: 413,
      body: { error: { message: 'The body is larger than 128 KiB.' } },
    });
    expect(await api.call('/v1/artists/bulk', { method: 'POST', ...account, body: { artists: [1] } })).toMatchObject({
      status: 400,
    });
  });
});
