import { createTestChange } from '@artist-watch/delivery/store/test-changes';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { until } from '@artist-watch/harness/until';
import { deleteAccount } from '@artist-watch/persistence/account/delete-account';
import { memberStore } from '@artist-watch/persistence/account/members';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { prune } from '@artist-watch/persistence/retention';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { givenAccount, givenChange, givenDestination, givenWatch, openStores, type Stores, start } from './given.js';

let stores: Stores;
beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await query(
    'TRUNCATE accounts, artists, deliveries, attempts, feed_items, tool_allowances, idempotency_keys, sessions, mails CASCADE',
  );
});

const dayMs = 86_400_000;
const now = start;

function daysAgo(days: number, hours = 0): Date {
  return new Date(now.getTime() - days * dayMs - hours * 3_600_000);
}

async function query(text: string, ...values: unknown[]) {
  return (await stores.database.pool.query(text, values)).rows;
}

async function countOf(table: string): Promise<number> {
  return (await query(`SELECT count(*)::int AS count FROM ${table}`))[0].count;
}

test('settled deliveries and their attempts are kept for 90 days; pending deliveries are always kept', async () => {
  const accountId = await givenAccount(stores.database);
  const artistId = await givenWatch(stores.database, accountId);
  await givenDestination(stores, accountId);
  for (const [at, state] of [
    [daysAgo(91), 'succeeded'],
    [daysAgo(91), 'pending'],
    [daysAgo(89), 'failed'],
  ] as const) {
    const changeId = await givenChange(stores.database, artistId, { at });
    if (state !== 'pending') {
      await query(
        `UPDATE deliveries SET state = $2, settled_at = created_at, next_attempt_at = NULL, relay_at = NULL
          WHERE change_id = $1`,
        changeId,
        state,
      );
    }
    await query(
      `INSERT INTO attempts (id, delivery_id, number, outcome, started_at, ended_at)
       SELECT $1, id, 1, 'succeeded', $2, $2 FROM deliveries WHERE change_id = $3`,
      newId('att', at),
      at,
      changeId,
    );
  }
  expect(await prune(stores.database.pool, { now })).toEqual({ deliveries: 1, attempts: 2 });
  expect((await query('SELECT state FROM deliveries ORDER BY id')).map(({ state }) => state)).toEqual([
    'pending',
    'failed',
  ]);
});

test("a feed keeps exactly the history that the account's plan includes", async () => {
  const plans = Object.keys(PLANS) as PlanName[];
  const accounts = await Promise.all(plans.map((plan) => givenAccount(stores.database, plan)));
  for (const [index, plan] of plans.entries()) {
    for (const at of [daysAgo(PLANS[plan].historyDays, 1), daysAgo(PLANS[plan].historyDays, -1)]) {
      await query('INSERT INTO feed_items VALUES ($1, $2, $3)', accounts[index], at, newId('chg', at));
    }
  }
  expect(await prune(stores.database.pool, { now, pageOwners: 3 })).toEqual({ feed_items: 4 });
  expect(await countOf('feed_items')).toBe(4);
});

test('a test change is deleted after 7 days, even if its account was deleted', async () => {
  const accountId = await givenAccount(stores.database, 'business');
  const artistId = await givenWatch(stores.database, accountId);
  for (const at of [daysAgo(7, 1), daysAgo(7, -1)]) {
    const request = { accountId, artistId, type: 'release_removed', platform: 'deezer', by: OPERATOR } as const;
    await createTestChange(stores.database, { ...request, id: newId('chg', at), now: at });
  }
  expect(await prune(stores.database.pool, { now })).toEqual({ changes: 1, test_feed_items: 1 });
  await query('DELETE FROM test_feed_items');
  expect(await prune(stores.database.pool, { now: daysAgo(-1) })).toEqual({ changes: 1 });
});

test('a change is deleted when no plan can show it any more, but an open suspicion is never deleted', async () => {
  const accountId = await givenAccount(stores.database, 'free');
  const artistId = await givenWatch(stores.database, accountId);
  const kept = await givenChange(stores.database, artistId, { at: daysAgo(729) });
  await givenChange(stores.database, artistId, { at: daysAgo(731) });
  for (const state of ['suspected', 'held', 'dismissed']) {
    await query(
      `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary, detected_at)
       VALUES ($1, $2, $3, 'label_changed', 'warning', 'release', '1', 'x', 'x', $4)`,
      newId('chg', daysAgo(731)),
      artistId,
      state,
      daysAgo(731),
    );
  }
  expect(await prune(stores.database.pool, { now })).toEqual({ changes: 2, feed_items: 2 });
  const left = await query('SELECT id, state FROM changes ORDER BY state');
  expect(left.map(({ state }) => state)).toEqual(['suspected', 'held', 'confirmed']);
  expect(left[2].id).toBe(kept);
});

test('a deleted destination is purged once its deliveries are gone', async () => {
  const accountId = await givenAccount(stores.database);
  const artistId = await givenWatch(stores.database, accountId);
  const destinations = destinationCommands(stores.database, stores.box);
  const [empty, used, active] = [
    await givenDestination(stores, accountId),
    await givenDestination(stores, accountId),
    await givenDestination(stores, accountId),
  ];
  await destinations.delete({ id: empty }, daysAgo(91));
  await givenChange(stores.database, artistId, { at: daysAgo(89) });
  await destinations.delete({ id: used }, daysAgo(91));
  await prune(stores.database.pool, { now });
  expect((await query('SELECT id FROM destinations')).map(({ id }) => id).sort()).toEqual([used, active].sort());
});

test('idempotency keys are deleted after 24 hours; used allowances, metrics and old notices also expire', async () => {
  const accountId = await givenAccount(stores.database);
  const artistId = await givenWatch(stores.database, accountId);
  const destinationId = await givenDestination(stores, accountId);
  for (const at of [daysAgo(1, 1), daysAgo(0, 23)]) {
    await query(
      `INSERT INTO idempotency_keys VALUES ($1, $2, '\\x00', NULL, NULL, $3)`,
      accountId,
      at.toISOString(),
      at,
    );
  }
  for (const at of [daysAgo(92), daysAgo(88)]) {
    const day = at.toISOString().slice(0, 10);
    await query('INSERT INTO tool_allowances VALUES ($1, $2, 1)', accountId, day);
    await query('INSERT INTO request_days VALUES ($1, $2, 1)', accountId, day);
  }
  for (const at of [daysAgo(731), daysAgo(729)]) {
    const day = at.toISOString().slice(0, 10);
    await query('INSERT INTO artist_metrics VALUES ($1, $2, 1, NULL)', artistId, day);
    await query('INSERT INTO artist_days VALUES ($1, $2, 1, 1)', artistId, day);
  }
  for (const at of [daysAgo(731), daysAgo(88)]) {
    await query(
      `INSERT INTO destination_notices VALUES ($1, $2, 'warning', $3, 10, 'x')`,
      newId('ntc', at),
      destinationId,
      at,
    );
  }
  expect(await prune(stores.database.pool, { now })).toEqual({
    idempotency_keys: 1,
    tool_allowances: 1,
    request_days: 1,
    artist_metrics: 1,
    artist_days: 1,
    destination_notices: 1,
  });
});

test('sign-in requests, sessions, emails and audit events expire, but pending emails do not', async () => {
  const accountId = await givenAccount(stores.database);
  for (const at of [daysAgo(3), daysAgo(1)]) {
    await query(
      `INSERT INTO sign_in_requests VALUES ($1, 'a@b.example', '::', '\\x00', NULL, 0, $2)`,
      newId('sgn', at),
      at,
    );
  }
  for (const at of [daysAgo(15), daysAgo(13)]) {
    await query(
      `INSERT INTO sessions VALUES ($1, 'a@b.example', $2, $3, $3, $3, '::1', '')`,
      newId('ses', at),
      Buffer.from(at.toISOString()),
      at,
    );
  }
  for (const [at, state] of [
    [daysAgo(91), 'sent'],
    [daysAgo(91), 'pending'],
    [daysAgo(89), 'sent'],
  ] as const) {
    await query(
      `INSERT INTO mails (id, account_id, recipient, kind, data, state, created_at) VALUES ($1, $2, 'a@b.example', 'x', '{}', $3, $4)`,
      newId('mai', at),
      accountId,
      state,
      at,
    );
  }
  // Sign-in data belongs to an email address.
  for (const at of [daysAgo(3), daysAgo(1)]) {
    await query(
      `INSERT INTO mails (id, recipient, kind, data, state, created_at) VALUES ($1, 'a@b.example', 'sign_in', '{}', 'discarded', $2)`,
      newId('mai', at),
      at,
    );
  }
  for (const at of [daysAgo(731), daysAgo(729)]) {
    await query(
      `INSERT INTO audit_events VALUES ($1, $2, $3, 'member', NULL, 'Ann', 'x', NULL, '', '{}')`,
      newId('aud', at),
      accountId,
      at,
    );
  }
  expect(await prune(stores.database.pool, { now })).toEqual({
    sign_in_requests: 1,
    sessions: 1,
    mails: 2,
    audit_events: 1,
  });
});

test('the sessions, devices and sign-in emails of an address are deleted with its last membership, even in concurrent removals', async () => {
  const { database } = stores;
  const [one, two] = [await givenAccount(database), await givenAccount(database)] as const;
  for (const accountId of [one, two]) {
    for (const email of ['owner@b.example', 'ann@b.example']) {
      await memberStore(database).add({ id: newId('mem', now), accountId, email, now });
    }
  }
  await query(
    `INSERT INTO known_devices SELECT DISTINCT email, 'Firefox on Linux', '', $1::timestamptz FROM members`,
    now,
  );
  await query(
    `INSERT INTO sessions SELECT DISTINCT ON (email) id, email, convert_to(email, 'UTF8'), $1::timestamptz, $1, $1, '::1', ''
       FROM members`,
    now,
  );
  await query(
    `INSERT INTO mails (id, recipient, kind, data, state, created_at)
     SELECT DISTINCT ON (email) new_id('mai', $1), email, 'sign_in', '{}'::jsonb, 'sent'::mail_state, $1::timestamptz FROM members`,
    now,
  );
  const signInMails = async () =>
    (await query('SELECT count(*)::int AS count FROM mails WHERE account_id IS NULL'))[0].count;
  const known = async () => [await countOf('known_devices'), await countOf('sessions'), await signInMails()];
  const blocker = await database.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE known_devices IN ACCESS EXCLUSIVE MODE');
  const removing = Promise.all(
    [one, two].map((accountId) => memberStore(database).remove({ accountId, email: 'ann@b.example', now })),
  );
  await until('both requests to wait', async () => {
    const [row] = await query(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row.count === 2;
  });
  await blocker.query('COMMIT');
  blocker.release();
  await removing;
  expect(await known()).toEqual([1, 1, 1]);
  await deleteAccount(database, { id: one, name: 'Label', now });
  expect(await known()).toEqual([1, 1, 1]);
  await deleteAccount(database, { id: two, name: 'Label', now });
  expect(await known()).toEqual([0, 0, 0]);
});

test("snapshots are deleted when no watcher's history reaches back to them, and earlier if they are incomplete", async () => {
  const kept = async (artistId: string, plan: string) => {
    for (const days of [1, 89, 91, 179, 181, 729, 731]) {
      for (const complete of [true, false]) {
        const [id, reason] = [newId('snp', daysAgo(days)), complete ? null : 'x'];
        await query('INSERT INTO snapshots VALUES ($1, $2, $3, $4, $5)', id, artistId, daysAgo(days), complete, reason);
      }
    }
    await prune(stores.database.pool, { now, batchRows: 2 });
    const rows = await query(
      `SELECT complete, extract(day FROM $2::timestamptz - observed_at)::int AS days FROM snapshots
        WHERE artist_id = $1 ORDER BY days`,
      artistId,
      now,
    );
    const daysOf = (complete: boolean) => rows.filter((row) => row.complete === complete).map(({ days }) => days);
    return [plan, daysOf(true), daysOf(false)];
  };
  const artistOf = async (...plans: ('free' | 'pro' | 'business')[]) => {
    const platformId = newId('art', now);
    const accounts = await Promise.all(plans.map((plan) => givenAccount(stores.database, plan)));
    const ids = await Promise.all(accounts.map((accountId) => givenWatch(stores.database, accountId, platformId)));
    return ids[0] ?? '';
  };
  expect(await kept(await artistOf('free'), 'free')).toEqual(['free', [1, 89], [1, 89]]);
  expect(await kept(await artistOf('free', 'pro'), 'pro')).toEqual(['pro', [1, 89, 91, 179], [1, 89]]);
  expect(await kept(await artistOf('business'), 'business')).toEqual(['business', [1, 89, 91, 179, 181, 729], [1, 89]]);
});

test('an artist without watches and changes is deleted a day after its last poll, with all its data', async () => {
  const accountId = await givenAccount(stores.database);
  const artists = await Promise.all([1, 2, 3, 4].map(() => givenWatch(stores.database, accountId)));
  const [watched, named, recent, nobodys] = artists as [ArtistId, ArtistId, ArtistId, ArtistId];
  await givenChange(stores.database, named, { at: daysAgo(1) });
  for (const artistId of [named, recent, nobodys]) {
    await watchStore(stores.database).unwatch(accountId, [artistId], start, OPERATOR);
  }
  await query('UPDATE artists SET last_polled_at = $1', daysAgo(1, 1));
  await query('UPDATE artists SET last_polled_at = $2 WHERE id = $1', recent, daysAgo(0, 23));
  await query(`INSERT INTO baselines VALUES ($1, '{}', '', $2)`, nobodys, daysAgo(2));
  expect(await prune(stores.database.pool, { now, pageOwners: 2 })).toEqual({ artists: 1 });
  expect((await query('SELECT id FROM artists')).map(({ id }) => id).sort()).toEqual([watched, named, recent].sort());
  expect(await countOf('baselines')).toBe(0);
});

async function givenOldFeed(accountId: AccountId, rows: number) {
  await query(
    `INSERT INTO feed_items SELECT $1, $2::timestamptz + n * interval '1 second', 'chg_' || n
       FROM generate_series(1, ${rows}) n`,
    accountId,
    daysAgo(10),
  );
}

test('expired rows of several accounts are all deleted in small batches, even by several replicas', async () => {
  const accounts = [await givenAccount(stores.database, 'free'), await givenAccount(stores.database, 'free')];
  for (const accountId of accounts) await givenOldFeed(accountId, 25);
  const options = { now, batchRows: 4, pageOwners: 1 };
  const pruned = await Promise.all([1, 2, 3].map(() => prune(stores.database.pool, options)));
  expect(pruned.reduce((sum, { feed_items = 0 }) => sum + feed_items, 0)).toBe(50);
  expect(await countOf('feed_items')).toBe(0);
});

test('a requested stop takes effect between two batches', async () => {
  await givenOldFeed(await givenAccount(stores.database, 'free'), 5);
  expect(await prune(stores.database.pool, { now, signal: AbortSignal.abort() })).toEqual({});
  expect(await countOf('feed_items')).toBe(5);
});
