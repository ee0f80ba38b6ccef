import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deliveryDetailSchema, deliverySchema } from '@artist-watch/contracts/api/delivery';
import { destinationSchema } from '@artist-watch/contracts/api/destination';
import { isWellFormedApiKey } from '@artist-watch/domain/account/credentials';
import type { ArtistId } from '@artist-watch/domain/ids';
import { useSuite } from '@artist-watch/harness/suite';
import { findPrincipal } from '@artist-watch/persistence/account/api-keys';
import { feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { type Database, openDatabase } from '@artist-watch/persistence/database/database';
import { prune } from '@artist-watch/persistence/retention';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { givenChange } from '../persistence/given.js';
import { cliEnvironment, createTestCli, type TestCli } from './run-cli.js';

let cli: TestCli;
let database: Database;
let env: Record<string, string>;
beforeAll(async () => {
  env = await cliEnvironment();
  cli = createTestCli(env);
  const { databaseUrl, onEnd } = await useSuite();
  database = openDatabase({ url: databaseUrl, applicationName: 'test' });
  onEnd(() => database.close());
});

async function newAccount(plan = 'business'): Promise<string> {
  return (await cli.json<{ id: string }>('account', 'create', '--name', 'Label', '--plan', plan)).id;
}

async function newDestination(account: string, ...options: string[]): Promise<string> {
  const url = 'http://127.0.0.1:9000/webhooks';
  return (await cli.json<{ id: string }>('destination', 'create', '--account', account, '--url', url, ...options)).id;
}

interface List {
  readonly data: readonly Record<string, unknown>[];
  readonly next_cursor: null;
}

describe('account', () => {
  test('account create prints the id, the name and the plan, and no key', async () => {
    const account = await cli.json('account', 'create', '--name', 'Ed Banger', '--plan', 'pro');
    expect(account).toEqual({ id: expect.stringMatching(/^acc_[0-9a-f]{32}$/), name: 'Ed Banger', plan: 'pro' });
  });

  test('account delete requires the name, prints what it deletes, ends all access, and leaves nothing behind', async () => {
    const id = await newAccount();
    await newDestination(id);
    await cli.json('artist', 'watch', '--account', id, '--platform-id', '4711');
    const issued = await cli.json<{ key: string }>(
      'key',
      'issue',
      '--account',
      id,
      '--name',
      'Reports',
      '--scopes',
      'read',
    );
    expect(await cli.json('account', 'show', '--account', id)).toMatchObject({
      name: 'Label',
      artists: { used: 1, limit: 500 },
      keys: { used: 1, limit: 20 },
      destinations: { used: 1, limit: 10 },
    });
    const list = async () => (await cli.json<List>('account', 'list')).data.map((account) => account.id);
    expect(await list()).toContain(id);

    expect(await cli.refusal('account', 'delete', '--account', id, '--confirm', 'Other')).toBe(
      'The account\'s name is "Label".\n',
    );
    expect(await cli.json('account', 'delete', '--account', id, '--confirm', 'Label')).toEqual({
      id,
      name: 'Label',
      deleted: true,
      removes: { keys: 1, members: 0, watches: 1, destinations: 1, deliveries: 0, changes: 0 },
    });
    expect(await list()).not.toContain(id);
    const digest = createHash('sha256').update(issued.key).digest();
    expect(await findPrincipal(database, digest)).toBeUndefined();
    for (const again of [
      ['key', 'issue', '--account', id],
      ['account', 'show', '--account', id],
      ['account', 'delete', '--account', id, '--confirm', 'Label'],
    ]) {
      expect(await cli.refusal(...again)).toBe('There is no such account.\n');
    }
    const { rows } = await database.pool.query("SELECT next_poll_at FROM artists WHERE platform_id = '4711'");
    expect(rows).toEqual([{ next_poll_at: null }]);

    await database.pool.query("INSERT INTO feed_items SELECT $1, now(), 'chg_' || n FROM generate_series(1, 7) n", [
      id,
    ]);
    await prune(database.pool, { now: new Date(Date.now() + 3_600_000), batchRows: 3 });
    for (const table of ['accounts WHERE id', 'feed_items WHERE account_id', 'destinations WHERE account_id']) {
      expect([table, (await database.pool.query(`SELECT FROM ${table} = $1`, [id])).rowCount]).toEqual([table, 0]);
    }
  });

  test('account set-plan prints the account with its new plan', async () => {
    const id = await newAccount('free');
    expect(await cli.json('account', 'set-plan', '--account', id, '--plan', 'business')).toEqual({
      id,
      name: 'Label',
      plan: 'business',
    });
  });

  test('account set-plan prints the effects of a downgrade', async () => {
    const id = await newAccount();
    await newDestination(id);
    const deleted = await newDestination(id);
    await cli.json('destination', 'delete', '--id', deleted);
    for (const number of [1, 2, 3]) {
      await cli.json('artist', 'watch', '--account', id, '--platform-id', String(number));
      await cli.json('member', 'add', '--account', id, '--email', `nina-${number}@label.example`);
      const key = await cli.json<{ id: string }>('key', 'issue', '--account', id);
      if (number === 1) await cli.json('key', 'revoke', '--id', key.id);
    }
    expect(await cli.json('account', 'set-plan', '--account', id, '--plan', 'free')).toEqual({
      id,
      name: 'Label',
      plan: 'free',
      stops: { destinations_paused: 1, artists_over_limit: 2, seats_over_limit: 2, keys_over_limit: 1 },
    });
    expect(await cli.json('account', 'set-plan', '--account', id, '--plan', 'business')).not.toHaveProperty('stops');
  });

  test.each([
    [['account', 'create', '--name', 'x'], "Required option '--plan <plan>' not specified.\n"],
    [['account', 'create', '--name', ' ', '--plan', 'pro'], /^Option '--name <name>' argument ' ' is invalid\. .*\n$/],
    [['account', 'create', '--name', 'x', '--plan', 'gold'], /Allowed choices are free, starter, pro, business\.\n$/],
    [['account', 'set-plan', '--account', 'acc_0', '--plan', 'pro'], 'There is no such account.\n'],
    [['account', 'close'], /^Unknown command 'close'.*\n$/],
    [['subscription', 'list'], /^Unknown command 'subscription'.*\n$/],
  ])('the command %j is rejected with one sentence', async (args, sentence) => {
    expect(await cli.refusal(...args)).toEqual(
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    );
  });
});

test('feed create shows the token once, feed list shows its last use, and feed revoke ends its access', async () => {
  const account = await newAccount('free');
  const {
    token,
    path: address,
    ...created
  } = await cli.json('feed', 'create', '--account', account, '--name', 'Newsroom');
  expect(address).toBe(`/v1/changes/feed.atom?token=${token}`);
  expect(created).toMatchObject({ name: 'Newsroom', created_by: 'operator', last_used_at: null });
  const feeds = feedTokenStore(database);
  const reader = await feeds.findReader(createHash('sha256').update(String(token)).digest());
  const { tokenId } = reader as NonNullable<typeof reader>;
  const used = new Date('2026-05-31T12:00:00.000Z');
  await feeds.touch(tokenId, used);
  await feeds.touch(tokenId, new Date(used.getTime() - 1));
  const listed = { ...created, last_used_at: used.toISOString() };
  expect(await cli.json('feed', 'list', '--account', account)).toEqual({ data: [listed], next_cursor: null });
  const other = await newAccount('free');
  expect(await cli.refusal('feed', 'revoke', '--account', other, '--id', tokenId)).toMatch(/feed/);
  expect(await cli.json('feed', 'revoke', '--account', account, '--id', tokenId)).toEqual(listed);
  expect((await cli.json<List>('feed', 'list', '--account', account)).data).toEqual([]);
});

describe('key', () => {
  test('key issue prints a key that works in the API, and the database stores only its SHA-256', async () => {
    const account = await newAccount();
    const issued = await cli.json<{ id: string; key: string }>('key', 'issue', '--account', account);
    expect(Object.keys(issued)).toEqual(['id', 'key']);
    expect(isWellFormedApiKey(issued.key)).toBe(true);
    const digest = createHash('sha256').update(issued.key).digest();
    expect(await findPrincipal(database, digest)).toMatchObject({ keyId: issued.id, accountId: account });
    const { rows } = await database.pool.query('SELECT k::text AS row FROM api_keys k');
    for (const { row } of rows) expect(row).not.toContain(issued.key);

    const revoked = await cli.json('key', 'revoke', '--id', issued.id);
    expect(revoked).toMatchObject({ id: issued.id, hint: issued.key.slice(0, 12), revoked_at: expect.any(String) });
    expect(await findPrincipal(database, digest)).toBeUndefined();
    const list = await cli.json<List>('key', 'list', '--account', account);
    expect(list).toEqual({ data: [revoked], next_cursor: null });
  });

  test("key issue is rejected above the plan's limit", async () => {
    const account = await newAccount('free');
    await cli.json('key', 'issue', '--account', account);
    expect(await cli.refusal('key', 'issue', '--account', account)).toBe('Your plan allows 1 API key.\n');
  });
});

test('member add and member remove change what member list prints', async () => {
  const account = await newAccount();
  const seat = ['--account', account, '--email', 'ann@label.example'];
  const added = await cli.json('member', 'add', ...seat);
  expect(added).toEqual({
    id: expect.stringMatching(/^mem_/),
    email: 'ann@label.example',
    role: 'owner',
    state: 'invited',
    created_at: expect.stringMatching(/Z$/),
  });
  expect((await cli.json<List>('member', 'list', '--account', account)).data).toEqual([added]);
  expect(await cli.refusal('member', 'add', ...seat)).toBe('ann@label.example is already a member of this account.\n');
  expect(await cli.refusal('member', 'remove', ...seat)).toBe(
    'This is the last owner of the account. Make another member an owner first.\n',
  );
  const other = ['--account', account, '--email', 'bob@label.example'];
  expect(await cli.json('member', 'add', ...other, '--role', 'owner')).toMatchObject({ role: 'owner' });
  expect(await cli.json('member', 'remove', ...seat)).toEqual({ ...added, removed: true });
  expect(await cli.refusal('member', 'remove', ...seat)).toBe('There is no such member.\n');
});

test('artist watch, list and unwatch work without the platform and print the same fields as the API', async () => {
  const account = await newAccount();
  const watched = await cli.json('artist', 'watch', '--account', account, '--platform-id', '4050205');
  expect(watched).toEqual({
    id: expect.stringMatching(/^art_/),
    platform_id: '4050205',
    name: '4050205',
    monthly_listeners: 0,
    followers: 0,
    metrics_observed_at: null,
    status: 'pending',
    merged_into: null,
    stale_reason: null,
    last_complete_at: null,
    next_read_at: expect.any(String),
    watched_since: expect.any(String),
    platform_url: 'https://www.deezer.com/artist/4050205',
    metrics: { followers: 'unavailable', monthly_listeners: 'unavailable' },
    group_ids: [],
  });
  expect(await cli.json('artist', 'list', '--account', account)).toEqual({ data: [watched], next_cursor: null });
  const byId = ['--account', account, '--id', String(watched.id)];
  expect(await cli.json('artist', 'unwatch', ...byId)).toEqual({ ...watched, watched: false });
  expect(await cli.refusal('artist', 'unwatch', ...byId)).toBe('There is no such artist.\n');
  expect((await cli.json<List>('artist', 'list', '--account', account)).data).toEqual([]);
  const byPlatformId = ['--account', account, '--platform-id', '4050205'];
  await cli.json('artist', 'watch', ...byPlatformId);
  expect(await cli.json('artist', 'unwatch', ...byPlatformId)).toMatchObject({ id: watched.id, watched: false });
});

test('artist add watches the artists in a file by id, URL and name, and prints a result for each line', async () => {
  const { onEnd } = await useSuite();
  const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'add', artists: 3, budget: 'unlimited' });
  onEnd(() => simulator.stop());
  const [known] = simulator.state.artists();
  const account = await newAccount('starter');
  const folder = await mkdtemp(path.join(tmpdir(), 'artist-add-'));
  onEnd(() => rm(folder, { recursive: true }));
  const [plain, csv] = [path.join(folder, 'artists.txt'), path.join(folder, 'artists.csv')];
  await writeFile(
    plain,
    `\ufeffArtists\r\n27\n\n  https://www.deezer.com/artist/28 \n${known?.name}\nNobody, of all\n`,
  );
  await writeFile(csv, `id,name\n27,"a, b"\n${Array.from({ length: 9 }, (_, n) => `${30 + n},`).join('\n')}\n`);
  const asking = createTestCli({ ...env, PLATFORM_URL: simulator.url });
  const add = async (file: string) =>
    (await asking.json<List>('artist', 'add', '--account', account, '--file', file)).data.map(
      ({ line, result }) => `${line} ${result}`,
    );
  expect(await add(plain)).toEqual(['2 watched', '4 watched', '5 watched', '6 unknown']);
  expect(await add(csv)).toEqual([
    '2 already_watched',
    ...Array.from({ length: 7 }, (_, n) => `${n + 3} watched`),
    '10 limit_reached',
    '11 limit_reached',
  ]);
  expect(await asking.refusal('artist', 'add', '--account', account, '--file', path.join(folder, 'none'))).toMatch(
    /^The file .* cannot be read \(ENOENT\)\.\n$/,
  );
});

test.each(['abc', 'https://www.deezer.com/artist/27', '', '27 '])(
  'artist watch rejects %j, which is not a platform id, like the API',
  async (platformId) => {
    const account = await newAccount();
    expect(await cli.refusal('artist', 'watch', '--account', account, '--platform-id', platformId)).toBe(
      '--platform-id must be 1 to 20 digits, such as "27".\n',
    );
  },
);

describe('destination', () => {
  test('destination create and update set headers, whose values are not shown', async () => {
    const account = await newAccount();
    const url = ['--url', 'https://127.0.0.1:9443/a'];
    const headers = JSON.stringify([{ name: 'X-Api-Key', value: 'of-the-customer' }]);
    const created = await cli.json('destination', 'create', '--account', account, ...url, '--headers', headers);
    expect(created).toMatchObject({ headers: [{ name: 'X-Api-Key', value: '(hidden)' }] });
    const none = ['--id', String(created.id), '--headers', '[]'];
    expect(await cli.json('destination', 'update', ...none)).toMatchObject({ headers: [] });
  });

  test('destination create and update switch the headers of Standard Webhooks on and off', async () => {
    const account = await newAccount();
    const url = ['--url', 'https://127.0.0.1:9443/a'];
    const created = await cli.json('destination', 'create', '--account', account, ...url, '--standard-webhooks', 'on');
    expect(created).toMatchObject({ standard_webhooks: true });
    const off = ['--id', String(created.id), '--standard-webhooks', 'off'];
    expect(await cli.json('destination', 'update', ...off)).toMatchObject({ standard_webhooks: false });
  });

  test('destination create generates a secret by default and is the only command that shows it', async () => {
    const account = await newAccount();
    const created = await cli.json('destination', 'create', '--account', account, '--url', 'https://127.0.0.1:9443/a');
    const { secret, ...destination } = created;
    expect(secret).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/);
    expect(destinationSchema.parse(destination)).toMatchObject({
      url: 'https://127.0.0.1:9443/a',
      state: 'active',
      signed: true,
      rules: { min_severity: null, change_types: [], artist_ids: [], group_ids: [] },
      warnings: [],
    });
    expect(await cli.json('destination', 'show', '--id', String(created.id))).toEqual(destination);
    expect(await cli.json('destination', 'list', '--account', account)).toEqual({
      data: [destination],
      next_cursor: null,
    });
  });

  test('destination update changes only the given fields, and "any" empties a rule', async () => {
    const id = await newDestination(await newAccount());
    const updated = await cli.json(
      ...[
        'destination',
        'update',
        '--id',
        id,
        '--name',
        'Desk',
        '--min-severity',
        'critical',
        '--types',
        'isrc_changed',
      ],
    );
    expect(updated).toMatchObject({
      name: 'Desk',
      rules: { min_severity: 'critical', change_types: ['isrc_changed'] },
    });
    expect(await cli.json('destination', 'update', '--id', id, '--types', 'any')).toMatchObject({
      name: 'Desk',
      rules: { min_severity: 'critical', change_types: [] },
    });
    expect(await cli.json('destination', 'update', '--id', id, '--no-name', '--min-severity', 'any')).toMatchObject({
      name: null,
      rules: { min_severity: null },
    });
  });

  test('the human-readable destination list has the number of notices instead of the notices', async () => {
    const account = await newAccount();
    const id = await newDestination(account);
    await cli.json('destination', 'disable', '--id', id);
    await cli.json('destination', 'enable', '--id', id);
    const { stdout } = await cli.run('destination', 'list', '--account', account);
    expect(stdout).toMatch(/^id .* notices\n/);
    expect(stdout).toMatch(/ 2\n$/);
  });

  test('destination create accepts a secret, no secret, and rules', async () => {
    const account = await newAccount();
    const create = ['destination', 'create', '--account', account, '--url', 'http://127.0.0.1:9000/'];
    const chosen = await cli.json(...create, '--secret', 'a-secret-of-my-own');
    expect(chosen).toMatchObject({ signed: true, secret: 'a-secret-of-my-own' });
    const artist = 'art_0123456789abcdef0123456789abcdef';
    const ruled = await cli.json(
      ...[...create, '--secret', 'none', '--min-severity', 'warning'],
      ...['--types', 'release_removed, label_changed', '--artists', artist],
    );
    expect(ruled).toMatchObject({
      signed: false,
      secret: null,
      rules: {
        min_severity: 'warning',
        change_types: ['release_removed', 'label_changed'],
        artist_ids: [artist],
        group_ids: [],
      },
    });
  });

  test.each([
    [['--url', 'http://10.0.0.1/'], "We can't send to this URL, because it is not on the public internet.\n"],
    [['--url', 'http://169.254.169.254/'], "We can't send to this URL, because it is not on the public internet.\n"],
    [['--url', 'https://x.example:22/'], 'The port of the URL must be 80, 443, or from 1024 to 65535.\n'],
    [['--url', 'https://a:b@x.example/'], 'The URL must not contain a user name or password.\n'],
    [
      ['--url', 'https://127.0.0.1:9443/', '--secret', 'short'],
      /^A secret must have 16 to 256 printable ASCII characters /,
    ],
    [['--url', 'https://127.0.0.1:9443/', '--secret', 'of my own, with a comma'], / and no comma\.\n$/],
    [
      ['--url', 'https://127.0.0.1:9443/', '--min-severity', 'worst'],
      /Allowed choices are critical, warning, info\.\n$/,
    ],
    [['--url', 'https://127.0.0.1:9443/', '--types', 'Release Removed'], /Each must look like release_removed\.\n$/],
    [['--url', 'https://127.0.0.1:9443/', '--artists', '27'], /Each must look like art_0123…\.\n$/],
  ])('destination create with %j is rejected with one sentence', async (options, sentence) => {
    const refusal = await cli.refusal('destination', 'create', '--account', await newAccount(), ...options);
    expect(refusal).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
  });

  test('destination create is rejected below the Business plan', async () => {
    const create = ['destination', 'create', '--account', await newAccount('pro'), '--url', 'https://127.0.0.1:9443/'];
    expect(await cli.refusal(...create)).toMatch(/^Webhooks require the Business plan\. .*\.\n$/);
  });

  test('a destination can be disabled, enabled and deleted, and its secret can be rotated', async () => {
    const id = await newDestination(await newAccount());
    const verb = (name: string) => cli.json('destination', name, '--id', id);
    expect(await verb('disable')).toMatchObject({ id, state: 'off', switched_off_at: expect.any(String) });
    expect(await verb('test')).toMatchObject({ destination_id: id, state: 'pending', trigger: 'test' });
    expect(await verb('enable')).toMatchObject({ id, state: 'active', consecutive_failures: 0, switched_off_at: null });
    expect(await verb('rotate-secret')).toMatchObject({
      id,
      next_secret_pending: true,
      next_secret: expect.stringMatching(/^whsec_/),
    });
    expect(await cli.refusal('destination', 'rotate-secret', '--id', id)).toMatch(
      /^This destination has a next secret/,
    );
    await cli.json('destination', 'rotate-secret', '--id', id, '--replace');
    expect(await verb('activate-secret')).not.toHaveProperty('next_secret');
    expect((await verb('show')).notices).toHaveLength(5);
    expect(await verb('delete')).toEqual({ id, deleted: true });
    expect(await cli.refusal('destination', 'show', '--id', id)).toBe('There is no such destination.\n');
  });

  test('destination reseal-secrets re-encrypts the secrets with a new key', async () => {
    await newDestination(await newAccount());
    const renewed = { ...env, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
    const rotating = createTestCli({ ...renewed, ENCRYPTION_KEYS_RETIRED: String(env.ENCRYPTION_KEY) });
    const { resealed } = await rotating.json<{ resealed: number }>('destination', 'reseal-secrets');
    expect(resealed).toBeGreaterThan(0);
    expect(await createTestCli(renewed).json('destination', 'reseal-secrets')).toEqual({ resealed: 0 });
    const back = createTestCli({ ...env, ENCRYPTION_KEYS_RETIRED: renewed.ENCRYPTION_KEY });
    expect(await back.json('destination', 'reseal-secrets')).toEqual({ resealed });
    expect(await createTestCli({ ...env, ENCRYPTION_KEYS_RETIRED: 'x' }).refusal('destination', 'reseal-secrets')).toBe(
      'Invalid settings: ENCRYPTION_KEYS_RETIRED contains a key that is not 32 bytes in base64.\n',
    );
  });

  test('reading a destination needs no ENCRYPTION_KEY, and creating one reports that it is missing', async () => {
    const account = await newAccount();
    const id = await newDestination(account);
    const { ENCRYPTION_KEY: _, ...withoutKey } = env;
    const keyless = createTestCli(withoutKey);
    expect(await keyless.json('destination', 'show', '--id', id)).toMatchObject({ id });
    expect(
      await keyless.refusal('destination', 'create', '--account', account, '--url', 'https://127.0.0.1:9443/'),
    ).toBe('Invalid settings: ENCRYPTION_KEY is missing.\n');
  });
});

describe('delivery and change', () => {
  async function givenDelivery() {
    const account = await newAccount();
    const { id: artist } = await cli.json<{ id: ArtistId }>(
      'artist',
      'watch',
      '--account',
      account,
      '--platform-id',
      '1',
    );
    const destination = await newDestination(account);
    return { account, destination, artist, change: await givenChange(database, artist) };
  }

  test('delivery list, show, resend and recover, and destination test, print the same fields as the API', async () => {
    const { account, destination, change } = await givenDelivery();
    const list = (...filter: string[]) => cli.json<List>('delivery', 'list', '--account', account, ...filter);
    const [pending] = (await list()).data;
    expect(deliverySchema.parse(pending)).toMatchObject({
      change_id: change,
      destination_id: destination,
      trigger: 'change',
    });
    const id = String(pending?.id);
    expect(deliveryDetailSchema.parse(await cli.json('delivery', 'show', '--id', id)).attempts).toEqual([]);
    expect(await cli.refusal('delivery', 'resend', '--id', id)).toBe('This delivery is already pending.\n');

    await cli.json('destination', 'disable', '--id', destination);
    await cli.json('destination', 'enable', '--id', destination);
    expect((await list('--state', 'skipped')).data).toMatchObject([{ id, skipped_reason: 'destination_off' }]);
    const recover = ['destination', 'recover', '--id', destination, '--since', '2026-05-01T12:00:00+02:00'];
    expect(await cli.json(...recover, '--dry-run')).toMatchObject({
      dry_run: true,
      would_send: 1,
      recovered: 1,
      first: { id },
      last: { id },
    });
    expect(await cli.json(...recover, '--until', '2026-05-01T11:00:00Z')).toEqual({
      recovered: 0,
      remaining: 0,
      next_cursor: null,
    });
    expect(await cli.refusal(...recover, '--until', '2026-05-01T10:00:00Z')).toBe('--until must be after --since.\n');
    expect(await cli.json(...recover)).toEqual({ recovered: 1, remaining: 0, next_cursor: null });
    expect(await cli.json(...recover)).toEqual({ recovered: 0, remaining: 0, next_cursor: null });

    const sample = await cli.json('destination', 'test', '--id', destination);
    expect(deliverySchema.parse(sample)).toMatchObject({ trigger: 'test', change_id: null, state: 'pending' });
    expect((await list('--destination', destination)).data).toHaveLength(2);
    expect((await list('--limit', '1')).data).toEqual([sample]);
    expect((await list('--destination', 'dst_0')).data).toEqual([]);
  });

  test('change list and show print confirmed changes', async () => {
    const { account, artist, change } = await givenDelivery();
    const shown = {
      id: change,
      type: 'release_removed',
      severity: 'critical',
      artist_id: artist,
      summary: 'It is gone.',
      confirmed_at: '2026-05-01T12:00:00.000Z',
      entity_type: 'release',
      entity_id: '1',
      entity_name: 'Discovery',
      detected_at: '2026-05-01T12:00:00.000Z',
    };
    expect(await cli.json('change', 'list', '--account', account)).toEqual({ data: [shown], next_cursor: null });
    expect(await cli.json('change', 'show', '--id', change)).toEqual({
      ...shown,
      state: 'confirmed',
      dismissed_at: null,
      dismissed_reason: null,
      before: null,
      after: null,
      observations: [],
    });
    const exported = (await cli.run('change', 'export', '--account', account, '--format', 'ndjson')).stdout;
    expect(exported.split('\n').map((line) => line && JSON.parse(line))).toEqual([expect.objectContaining(shown), '']);
    const csv = (await cli.run('change', 'export', '--account', account, '--type', 'none')).stdout;
    expect(csv).toMatch(/^\uFEFF?id,[a-z_,]+\r\n$/);
  });

  test('a list of several pages is printed as one complete document, in order', async () => {
    const { account, artist } = await givenDelivery();
    await database.pool.query(
      `WITH made AS (
         INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                              detected_at, confirmed_at, webhook_body)
         SELECT new_id('chg', now()), $1, 'confirmed', 'label_changed', 'warning', 'release', '1', 'x', 'x', now(),
                '2026-05-01T11:00:00Z'::timestamptz - (n / 3) * interval '1 second', '{}'
           FROM generate_series(1, 1300) n
         RETURNING id, confirmed_at)
       INSERT INTO feed_items SELECT $2, confirmed_at, id FROM made`,
      [artist, account],
    );
    const { data } = await cli.json<List>('change', 'list', '--account', account);
    const keys = data.map(({ confirmed_at, id }) => `${confirmed_at} ${id}`);
    expect(new Set(keys).size).toBe(1_301);
    expect(keys).toEqual([...keys].sort().reverse());
    expect((await cli.json<List>('change', 'list', '--account', account, '--limit', '700')).data).toEqual(
      data.slice(0, 700),
    );
    const filtered = async (...filters: string[]) =>
      (await cli.json<List>('change', 'list', '--account', account, ...filters)).data;
    expect(await filtered('--type', 'label_changed', '--artist', artist)).toHaveLength(1_300);
    expect(await filtered('--type', 'release_removed')).toHaveLength(1);
    expect(await filtered('--artist', `art_${'0'.repeat(32)}`)).toEqual([]);
    expect(await filtered('--since', '2026-05-01T11:00:00Z')).toEqual(
      data.filter(({ confirmed_at }) => String(confirmed_at) >= '2026-05-01T11:00:00.000Z'),
    );
  });

  test('a list for a missing account is an error, not an empty list', async () => {
    for (const noun of ['key', 'member', 'artist', 'destination', 'delivery', 'change']) {
      expect(await cli.refusal(noun, 'list', '--account', 'acc_0')).toBe('There is no such account.\n');
    }
  });
});

test('queue status counts the jobs in Redis and the deliveries in the database', async () => {
  const { queue, record } = await cli.json('queue', 'status');
  expect(queue).toEqual({ due: 0, delayed: 0, active: 0 });
  expect(record).toMatchObject({ pending: expect.any(Number), waiting: expect.any(Number) });
});

describe('without --json', () => {
  test('without --json, one object has one field per line, a list is a table, and an empty list has a message', async () => {
    const account = await newAccount();
    expect((await cli.run('artist', 'list', '--account', account)).stdout).toBe('Nothing found.\n');
    const { stdout } = await cli.run('artist', 'watch', '--account', account, '--platform-id', '27');
    expect(stdout).toMatch(/^id {19}art_[0-9a-f]+\nplatform_id {10}27\nname {17}27\n/);
    const table = (await cli.run('artist', 'list', '--account', account)).stdout.split('\n');
    expect(table[0]).toMatch(
      /^id +platform_id +name +monthly_listeners +followers +metrics_observed_at +status +merged_into +stale_reason +last_complete_at +next_read_at +watched_since +platform_url +metrics +group_ids$/,
    );
    expect(table[1]).toMatch(/^art_[0-9a-f]+ +27 +27 +0 +0 +- +pending +- +- +- +\S+ +\S+ +\S+ +\S/);
  });

  test("control characters in a name cannot move the terminal's cursor", async () => {
    const account = await newAccount();
    const { id } = await cli.json<{ id: string }>('artist', 'watch', '--account', account, '--platform-id', '28');
    await database.pool.query('UPDATE artists SET name = $2 WHERE id = $1', [id, 'a\u001b[2Jb\u202ec\r\nd']);
    expect((await cli.run('artist', 'list', '--account', account)).stdout).toContain('a [2Jb c d');
  });

  test('the help lists every group of commands', async () => {
    const { stdout, exitCode } = await cli.run('--help');
    expect(exitCode).toBe(0);
    for (const noun of 'account key member artist destination delivery change queue verify receiver'.split(' ')) {
      expect(stdout).toMatch(new RegExp(`^ {2}${noun} `, 'm'));
    }
  });
});

describe('a setting', () => {
  test.each([
    [{ DATABASE_URL: '' }, ['change', 'show', '--id', 'x'], 'Invalid settings: DATABASE_URL is missing.\n'],
    [
      { DATABASE_URL: 'postgresql://user:pass-word@127.0.0.1:1/x' },
      ['change', 'show', '--id', 'x'],
      'PostgreSQL at 127.0.0.1:1 (DATABASE_URL) cannot be reached: connection refused.\n',
    ],
    [
      { EGRESS_ALLOW_CIDRS: 'loopback' },
      ['destination', 'create', '--account', 'acc_0', '--url', 'https://127.0.0.1:9443/'],
      'Invalid settings: EGRESS_ALLOW_CIDRS "loopback" is not a range such as 10.0.0.0/8.\n',
    ],
    [
      { PLATFORM: 'tape' },
      ['artist', 'watch', '--account', 'acc_0', '--platform-id', '1'],
      'Invalid settings: PLATFORM "tape" is not one of deezer, spotify.\n',
    ],
  ])('the setting %j is reported in one sentence', async (changed, args, sentence) => {
    expect(await createTestCli({ ...env, ...changed }).refusal(...args)).toBe(sentence);
  });
});
