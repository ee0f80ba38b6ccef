import { createTestChange } from '@artist-watch/delivery/store/test-changes';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { until } from '@artist-watch/harness/until';
import { startMailer } from '@artist-watch/mail/mailer';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { deleteAccount } from '@artist-watch/persistence/account/delete-account';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { memberStore } from '@artist-watch/persistence/account/members';
import { insertMails, mailOutbox, mailPreferenceStore } from '@artist-watch/persistence/mail/outbox';
import { queueDigests } from '@artist-watch/persistence/mail/queue-digests';
import { queueMails } from '@artist-watch/persistence/mail/queue-mails';
import { systemClock } from '@artist-watch/runtime/clock';
import { newId } from '@artist-watch/runtime/ids';
import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { after, givenAccount, givenChange, givenWatch, openStores, start } from './given.js';

const { database } = await openStores();
const { pool } = database;
const making = (ms: number) => queueMails(pool, { now: after(ms), groupWaitMs: 60_000 });

async function member(accountId: Awaited<ReturnType<typeof givenAccount>>) {
  const id = newId('mem', start);
  await memberStore(database).add({ id, accountId, email: `${id}@label.example`, now: start });
  await pool.query('UPDATE members SET joined_at = $2 WHERE id = $1', [id, after(-86_400_000 * 9)]);
  await pool.query('DELETE FROM mails WHERE member_id = $1', [id]);
  return id;
}

async function mailsTo(id: string) {
  const { rows } = await pool.query('SELECT kind, data, next_try_at FROM mails WHERE member_id = $1 ORDER BY id', [id]);
  return rows;
}

test('the critical changes of an artist are combined into one email after a minute, even with several replicas', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const artistId = await givenWatch(database, accountId);
  await givenChange(database, artistId);
  await givenChange(database, artistId, { at: after(30_000) });
  await givenChange(database, artistId, { at: after(30_000), severity: 'warning' });
  await making(59_000);
  expect(await mailsTo(id)).toEqual([]);
  await Promise.all([making(60_000), making(60_000), making(60_000)]);
  await making(61_000);
  expect(await mailsTo(id)).toMatchObject([{ kind: 'critical_changes', data: { changes: [{}, {}] } }]);
});

test('a critical test change causes no email, and does not bring forward the email about a real change', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const artistId = await givenWatch(database, accountId);
  const request = { accountId, artistId, type: 'release_removed', platform: 'deezer', by: OPERATOR } as const;
  const { change } = await createTestChange(database, { ...request, id: newId('chg', start), now: start });
  await making(60_000);
  expect((await pool.query('SELECT FROM mailed_changes WHERE change_id = $1', [change.id])).rowCount).toBe(0);
  await givenChange(database, artistId, { at: after(30_000) });
  await making(60_000);
  expect(await mailsTo(id)).toEqual([]);
  await making(90_000);
  expect(await mailsTo(id)).toMatchObject([{ kind: 'critical_changes', data: { changes: [{}] } }]);
  await queueDigests(pool, new Date(after(8 * 86_400_000).setUTCHours(8, 1)));
  expect(JSON.stringify(await mailsTo(id))).not.toContain('This is a test');
});

async function groupOf(accountId: AccountId, artistId: ArtistId) {
  const named = { id: newId('grp', start), accountId, by: OPERATOR, now: start };
  await groupStore(database).create({ ...named, name: 'Frontline', color: 'blue' });
  return (await groupStore(database).update({ ...named, addArtistIds: [artistId] })).id;
}

test('each member gets immediate emails about the severities, types and artists that they chose', async () => {
  const accountId = await givenAccount(database);
  const [artistId, otherId] = [await givenWatch(database, accountId), await givenWatch(database, accountId)];
  const changes = {
    critical: await givenChange(database, artistId),
    warning: await givenChange(database, artistId, { severity: 'warning' }),
    info: await givenChange(database, artistId, { severity: 'info' }),
    other: await givenChange(database, otherId),
  };
  const label = await givenChange(database, artistId, { severity: 'warning' });
  await pool.query("UPDATE changes SET type = 'label_changed' WHERE id = $1", [label]);
  const rules = [
    [{}, ['critical', 'other']],
    [{ minSeverity: 'warning' }, ['critical', 'warning', 'label', 'other']],
    [{ minSeverity: null, changeTypes: ['label_changed'] }, ['label']],
    [{ minSeverity: null, artistIds: [otherId] }, ['other']],
    [{ minSeverity: null, groupIds: [await groupOf(accountId, otherId)] }, ['other']],
  ] as const;
  const ids = [];
  for (const [chosen] of rules) {
    const id = await member(accountId);
    ids.push(id);
    const all = { minSeverity: 'critical', changeTypes: [], artistIds: [], groupIds: [], ...chosen } as const;
    await mailPreferenceStore(database).write(id, { rules: all });
  }
  await pool.query('DELETE FROM mails');
  await making(60_000);
  for (const [index, [, expected]] of rules.entries()) {
    const mails = await mailsTo(ids[index] as string);
    const found = mails.flatMap(({ data }) => data.changes.map((change: { id: string }) => change.id));
    expect(found.toSorted()).toEqual(expected.map((name) => ({ ...changes, label })[name]).toSorted());
  }
  await pool.query('DELETE FROM members WHERE id = ANY($1)', [ids]);
});

test('a critical change is emailed on time and first, even if there are other changes', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  await mailPreferenceStore(database).write(id, {
    rules: { minSeverity: null, changeTypes: [], artistIds: [], groupIds: [] },
  });
  // Seven artists with one change each, of which the last gets a summary.
  for (let count = 0; count < 7; count += 1)
    await givenChange(database, await givenWatch(database, accountId), { severity: 'info' });
  await making(60_000);
  const artistId = await givenWatch(database, accountId);
  const info = await givenChange(database, artistId, { severity: 'info' });
  const critical = await givenChange(database, artistId);
  await making(60_000);
  const mails = await mailsTo(id);
  expect(mails.map(({ kind }) => kind).toSorted()).toEqual([
    ...Array.from({ length: 7 }, () => 'critical_changes'),
    'critical_summary',
  ]);
  const { data } = mails.find((mail) => mail.data.first?.id === critical) ?? {};
  expect(data?.changes.map((change: { id: string }) => change.id)).toEqual([critical, info]);
  await pool.query('DELETE FROM members WHERE id = $1', [id]);
});

test("a digest has only the changes that match the member's rules", async () => {
  const accountId = await givenAccount(database);
  const [artistId, otherId] = [await givenWatch(database, accountId), await givenWatch(database, accountId)];
  const critical = await givenChange(database, artistId);
  const warning = await givenChange(database, artistId, { severity: 'warning' });
  const other = await givenChange(database, otherId, { severity: 'info' });
  await pool.query("UPDATE changes SET type = 'label_changed' WHERE id = $1", [warning]);
  const rules = [
    [{}, [critical, warning, other]],
    [{ minSeverity: 'warning' }, [critical, warning]],
    [{ changeTypes: ['label_changed'] }, [warning]],
    [{ artistIds: [otherId] }, [other]],
    [{ groupIds: [await groupOf(accountId, otherId)] }, [other]],
  ] as const;
  const ids = [];
  for (const [chosen] of rules) {
    const id = await member(accountId);
    ids.push(id);
    const digestRules = { minSeverity: null, changeTypes: [], artistIds: [], groupIds: [], ...chosen };
    await mailPreferenceStore(database).write(id, { digest: 'daily', digestRules });
  }
  await queueDigests(pool, new Date('2026-05-02T08:01:00.000Z'));
  for (const [index, [, expected]] of rules.entries()) {
    const mail = (await mailsTo(ids[index] as string)).find(({ kind }) => kind === 'digest');
    expect(mail?.data).toMatchObject({ changeCount: expected.length, artists: 2 });
    expect(mail?.data.changes.map((change: { id: string }) => change.id)).toEqual(expected);
  }
});

test('if emails about destinations fail, emails about changes and keys are still sent', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  await givenChange(database, await givenWatch(database, accountId));
  await pool.query('ALTER TABLE destination_notices RENAME TO elsewhere');
  await expect(making(60_000)).rejects.toThrow('destination_notices');
  await pool.query('ALTER TABLE elsewhere RENAME TO destination_notices');
  expect(await mailsTo(id)).toMatchObject([{ kind: 'critical_changes' }]);
});

test('more than six emails an hour are combined into one summary', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  for (let count = 0; count < 9; count += 1) await givenChange(database, await givenWatch(database, accountId));
  await making(60_000);
  await givenChange(database, await givenWatch(database, accountId), { at: after(90_000) });
  await making(160_000);
  const mails = await mailsTo(id);
  expect(mails.filter(({ kind }) => kind === 'critical_changes')).toHaveLength(6);
  const [summary, ...others] = mails.filter(({ kind }) => kind === 'critical_summary');
  expect(others).toEqual([]);
  expect(summary.data.artists).toHaveLength(4);
});

async function givenManyChanges(accountId: string, artistId: string, count: number): Promise<void> {
  await pool.query(
    `WITH made AS (
       INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', $3), $2, 'confirmed', 'release_removed', 'critical', 'release', n, 'Discovery', 'It is gone.',
              $3, $3, '{}' FROM generate_series(1, $4) n
       RETURNING id, confirmed_at, severity)
     INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
     SELECT $1, confirmed_at, id, severity FROM made`,
    [accountId, artistId, start, count],
  );
}

test('an email about very many changes lists a hundred of them and shows their total number', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  await givenManyChanges(accountId, await givenWatch(database, accountId), 250);
  await making(60_000);
  const [mail] = await mailsTo(id);
  expect(mail.data.count).toBe(250);
  expect(mail.data.changes).toHaveLength(100);
});

test('an email about several changes has their names, and the values of the critical ones; a summary has no values', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  await mailPreferenceStore(database).write(id, {
    rules: { minSeverity: 'warning', changeTypes: [], artistIds: [], groupIds: [] },
  });
  const artistId = await givenWatch(database, accountId);
  const critical = await givenChange(database, artistId);
  const long = await givenChange(database, artistId, { at: after(1) });
  const track = await givenChange(database, artistId, { severity: 'warning', type: 'isrc_changed' });
  const difference = { releaseId: 'r1', releaseName: 'Homework' };
  await pool.query("UPDATE artists SET name = 'Nina Vale' WHERE id = $1", [artistId]);
  await pool.query(
    `UPDATE changes SET difference = $2::jsonb || jsonb_build_object('before', repeat('x', CASE WHEN id = $3 THEN 9000 ELSE 1 END)),
            entity_type = CASE WHEN id = $4 THEN 'track' ELSE 'release' END::entity_type, observations = '[{}, {}]'
      WHERE id = ANY($1)`,
    [[critical, long, track], JSON.stringify(difference), long, track],
  );
  await making(60_000);
  const [{ data }, ...none] = await mailsTo(id);
  expect(none).toEqual([]);
  const common = { artist: 'Nina Vale', artistId, entityId: '1', entityName: 'Discovery', checks: 2 };
  const at = '2026-05-01T12:00:00+00:00';
  expect(data.changes).toEqual([
    expect.objectContaining({
      ...common,
      detectedAt: at,
      confirmedAt: at,
      id: critical,
      severity: 'critical',
      entityType: 'release',
    }),
    expect.objectContaining({ ...common, id: long, type: 'release_removed', releaseId: null, releaseName: null }),
    expect.objectContaining({ ...common, ...difference, id: track, severity: 'warning', entityType: 'track' }),
  ]);
  const withValues = data.changes.filter((change: object) => 'difference' in change);
  expect(withValues).toMatchObject([{ id: critical, difference: { ...difference, before: 'x' } }]);

  await pool.query('DELETE FROM mailed_changes');
  await pool.query(
    `INSERT INTO mails (id, account_id, member_id, recipient, kind, data, created_at)
     SELECT new_id('mai', $1), $2, $3, 'x@label.example', 'critical_changes', '{}', $1 FROM generate_series(1, 6)`,
    [start, accountId, id],
  );
  await making(61_000);
  const summary = (await mailsTo(id)).find(({ kind }) => kind === 'critical_summary');
  const [{ changes }] = summary?.data.artists ?? [];
  expect(changes.map((change: { id: string }) => change.id)).toEqual([critical, long, track]);
  expect(JSON.stringify(changes)).not.toContain('"difference"');
});

test('a change to an artist that thousands of accounts watch creates one email for the member of each account', async () => {
  const accounts = 4_500;
  const accountId = await givenAccount(database);
  const artistId = await givenWatch(database, accountId);
  await pool.query(
    `WITH made AS (
       INSERT INTO accounts
       SELECT (jsonb_populate_record(a, jsonb_build_object('id', new_id('acc', $2)))).*
         FROM accounts a, generate_series(1, $4) WHERE a.id = $1 RETURNING id
     ), watching AS (
       INSERT INTO watches (id, account_id, artist_id, created_at) SELECT new_id('wat', $2), id, $3, $2 FROM made)
     INSERT INTO members (id, account_id, email, role, created_at, joined_at)
     SELECT new_id('mem', $2), id, id || '@label.example', 'owner', $2, $2 FROM made`,
    [accountId, start, artistId, accounts],
  );
  const changeId = await givenChange(database, artistId);
  expect(await making(60_000)).toBe(accounts);
  expect(await making(61_000)).toBe(0);
  const { rows } = await pool.query(
    `SELECT count(DISTINCT member_id)::int AS members FROM mails WHERE data -> 'changes' -> 0 ->> 'id' = $1`,
    [changeId],
  );
  expect(rows).toEqual([{ members: accounts }]);
});

test.each(['mark-mailed-changes', 'make-change-mails'])(
  'creating emails reads each change a limited number of times, however many there are (%s)',
  async (name) => {
    const changes = 2_000;
    const accountId = await givenAccount(database);
    await member(accountId);
    await givenManyChanges(accountId, await givenWatch(database, accountId), changes);
    const { plans, explaining } = explainedPool(name);
    await queueMails(explaining, { now: after(60_000), groupWaitMs: 60_000 });
    const handled = plans.map(rowsHandled);
    expect(handled).toHaveLength(1);
    expect(handled[0]).toBeGreaterThan(changes);
    expect(handled[0]).toBeLessThan(40 * changes);
  },
);

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Total number of rows returned or discarded by the nodes of a query plan. */
function rowsHandled(node: PlanNode): number {
  const rows = node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  return rows * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, child) => sum + rowsHandled(child), 0);
}

/** Records the query plan each time that the named statement runs. */
function explainedPool(name: string) {
  const plans: PlanNode[] = [];
  const query = async (client: pg.PoolClient, asked: string | pg.QueryConfig, values?: unknown[]) => {
    if (typeof asked === 'string' || asked.name !== name) return client.query(asked, values);
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${asked.text}`, asked.values);
    plans.push(rows[0]['QUERY PLAN'][0].Plan);
    return { rows: [], rowCount: 0 };
  };
  const connect = async () => {
    const client = await pool.connect();
    return Object.assign(Object.create(client), {
      query: (asked: string | pg.QueryConfig, values?: unknown[]) => query(client, asked, values),
      release: () => client.release(),
    });
  };
  return { plans, explaining: Object.assign(Object.create(pool), { connect }) as pg.Pool };
}

test('a digest of 500 artists needs two statements, is created once, and counts no artist as missing', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  await pool.query(
    `WITH made AS (INSERT INTO artists (id, platform, platform_id, name, created_at)
       SELECT new_id('art', $2), 'deezer', 'digest-' || n, 'Artist ' || n, $2 FROM generate_series(1, 500) n RETURNING id
     ), watched AS (INSERT INTO watches (id, account_id, artist_id, created_at)
       SELECT new_id('wat', $2), $1, id, $2 FROM made)
     INSERT INTO artist_days (artist_id, day, readings, complete_readings) SELECT id, '2026-05-02', 9, 8 FROM made`,
    [accountId, start],
  );
  await pool.query("UPDATE members SET digest = 'daily' WHERE id = $1", [id]);
  const morning = new Date('2026-05-03T08:01:00.000Z');
  await Promise.all([queueDigests(pool, morning), queueDigests(pool, morning)]);
  await queueDigests(pool, morning);
  expect(await mailsTo(id)).toMatchObject([
    { kind: 'digest', data: { artists: 500, readings: 4_500, complete: 4_000, missingCount: 0, changeCount: 0 } },
  ]);
});

test.each([
  ['Pacific/Kiritimati', '2026-05-02T18:01:00.000Z'],
  ['Asia/Tokyo', '2026-05-02T23:01:00.000Z'],
  ['Asia/Singapore', '2026-05-03T00:01:00.000Z'],
  ['Europe/London', '2026-05-03T07:01:00.000Z'],
  ['America/Los_Angeles', '2026-05-03T15:01:00.000Z'],
])('a digest of 3 May in %s counts the checks of 2 May', async (zone, now) => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const [checked, checkedEarlier, unchecked] = [
    await givenWatch(database, accountId),
    await givenWatch(database, accountId),
    await givenWatch(database, accountId),
  ];
  await pool.query(
    `INSERT INTO artist_days (artist_id, day, readings, complete_readings)
     VALUES ($1, '2026-05-01', 100, 100), ($1, '2026-05-02', 7, 5), ($1, '2026-05-03', 100, 100),
            ($2, '2026-05-01', 1, 1), ($3, '2026-05-02', 2, 0)`,
    [checked, checkedEarlier, unchecked],
  );
  await pool.query("UPDATE members SET digest = 'daily', zone = $2 WHERE id = $1", [id, zone]);
  await queueDigests(pool, new Date(now));
  // East of UTC+8, 2 May is not over, and part of 1 May belongs to the period.
  const isEast = new Date(now).getUTCDate() === 2;
  expect(await mailsTo(id)).toMatchObject([
    {
      data: {
        firstDay: '2026-05-02',
        lastDay: '2026-05-02',
        ...{ artists: 3, readings: 9, complete: 5, missingCount: isEast ? 1 : 2 },
      },
    },
  ]);
});

test('after a move across the date line, a digest for only a few hours still counts a whole day of checks', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  await givenWatch(database, accountId);
  await pool.query("UPDATE members SET digest = 'daily', zone = 'America/Los_Angeles' WHERE id = $1", [id]);
  await queueDigests(pool, new Date('2026-05-03T15:01:00.000Z'));
  await memberStore(database).setZone(id, 'Pacific/Auckland');
  await queueDigests(pool, new Date('2026-05-03T20:01:00.000Z'));
  const last = (await mailsTo(id)).at(-1);
  expect(last?.data).toMatchObject({
    since: '2026-05-03T15:00:00+00:00',
    firstDay: '2026-05-03',
    lastDay: '2026-05-03',
  });
});

test('a digest lists the 100 most severe changes and shows the total number', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const artistId = await givenWatch(database, accountId);
  for (let count = 0; count < 30; count += 1) await givenChange(database, artistId, { severity: 'info' });
  await givenManyChanges(accountId, artistId, 90);
  await pool.query("UPDATE members SET digest = 'daily' WHERE id = $1", [id]);
  await queueDigests(pool, new Date('2026-05-02T08:01:00.000Z'));
  const [{ data }] = await mailsTo(id);
  expect(data).toMatchObject({ changeCount: 120, criticalCount: 90 });
  const severities = data.changes.map(({ severity }: { severity: string }) => severity);
  expect(severities).toEqual([...Array(90).fill('critical'), ...Array(10).fill('info')]);
});

test('a digest shows the status and the grouped fields of each change, and counts the open changes', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const artistId = await givenWatch(database, accountId);
  const handled = await givenChange(database, artistId);
  const open = await givenChange(database, artistId, { severity: 'info' });
  await pool.query(
    `INSERT INTO change_handling (account_id, confirmed_at, change_id, status, assignee_id)
     SELECT $1, confirmed_at, id, 'handled', $3 FROM changes WHERE id = $2`,
    [accountId, handled, id],
  );
  await pool.query("UPDATE members SET digest = 'daily' WHERE id = $1", [id]);
  await queueDigests(pool, new Date('2026-05-02T08:01:00.000Z'));
  const [{ data }] = await mailsTo(id);
  expect(data).toMatchObject({ changeCount: 2, criticalCount: 1, openCount: 1, openCriticalCount: 0 });
  const { rows } = await pool.query(
    `SELECT type, artist_id AS "artistId", entity_type AS "entityType", entity_id AS "entityId", entity_name AS "entityName"
       FROM changes WHERE id = $1`,
    [handled],
  );
  expect(data.changes).toMatchObject([
    { id: handled, status: 'handled', assignee: `${id}@label.example`, ...rows[0], releaseId: null, releaseName: null },
    { id: open, status: 'open', assignee: null },
  ]);
});

test('each change is in one digest, even if it is committed at digest time or reported a day late', async () => {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const artistId = await givenWatch(database, accountId);
  await pool.query("UPDATE members SET digest = CASE id WHEN $1 THEN 'daily' ELSE 'never' END::digest_cadence", [id]);
  const confirmed = (at: string, reportedAt = at) =>
    givenChange(database, artistId, { at: new Date(`2026-05-${at}Z`), reportedAt: new Date(`2026-05-${reportedAt}Z`) });
  const first = await confirmed('02T07:00');
  await queueDigests(pool, new Date('2026-05-02T08:00:59Z'));
  expect(await mailsTo(id)).toMatchObject([{ data: { until: '2026-05-01T08:00:00+00:00', changeCount: 0 } }]);
  const last = await confirmed('02T07:59:59.999');
  await queueDigests(pool, new Date('2026-05-02T08:01:00Z'));
  const late = await confirmed('01T23:00', '02T09:00');
  await confirmed('01T23:00', '03T09:00');
  const own = await confirmed('02T08:00');
  await queueDigests(pool, new Date('2026-05-03T08:01:00Z'));
  const [, second, third] = await mailsTo(id);
  expect(second.data.changes.map((change: { id: string }) => change.id)).toEqual([last, first]);
  expect(third.data.changes.map((change: { id: string }) => change.id)).toEqual([own, late]);
});

async function givenDigestReader(zone: string) {
  const accountId = await givenAccount(database);
  const id = await member(accountId);
  const artistId = await givenWatch(database, accountId);
  const preferences = mailPreferenceStore(database);
  await pool.query("UPDATE members SET digest = 'never' WHERE id <> $1", [id]);
  const setZone = (to: string) => memberStore(database).setZone(id, to);
  await setZone(zone);
  await preferences.write(id, { digest: 'daily' });
  return {
    setZone,
    setCadence: (digest: 'never' | 'daily' | 'weekly') => preferences.write(id, { digest }),
    confirmed: (at: string) => givenChange(database, artistId, { at: new Date(`2026-${at}Z`) }),
    /** Undefined if no digest is due. */
    async digestAt(at: string): Promise<string[] | undefined> {
      const now = new Date(`2026-${at}Z`);
      const made = await Promise.all([queueDigests(pool, now), queueDigests(pool, now)]);
      if (made[0] + made[1] === 0) return undefined;
      expect(made[0] + made[1]).toBe(1);
      return (await mailsTo(id)).at(-1)?.data.changes.map((change: { id: string }) => change.id);
    },
  };
}

test('each change is in one digest, even if the member crosses the date line in both directions', async () => {
  const { setZone, confirmed, digestAt } = await givenDigestReader('Pacific/Auckland');
  expect(await digestAt('05-05T20:01')).toEqual([]);
  const gap = await confirmed('05-05T22:00');
  await setZone('America/Los_Angeles');
  const overlap = await confirmed('05-07T10:00');
  // At this time, the local day of the last digest has not ended.
  expect(await digestAt('05-06T15:01')).toBeUndefined();
  expect(await digestAt('05-07T15:01')).toEqual([overlap, gap]);
  await setZone('Pacific/Auckland');
  const next = await confirmed('05-07T16:00');
  expect(await digestAt('05-07T20:01')).toEqual([next]);
  expect(await digestAt('05-08T20:01')).toEqual([]);
});

test('each change is in one digest, even if the member changes the cadence or pauses the digest', async () => {
  const { setCadence, confirmed, digestAt } = await givenDigestReader('Europe/Berlin');
  // 4 May is a Monday.
  const first = await confirmed('05-04T05:00');
  expect(await digestAt('05-04T06:01')).toEqual([first]);
  const inDay = await confirmed('05-04T10:00');
  expect(await digestAt('05-05T06:01')).toEqual([inDay]);
  await setCadence('weekly');
  const inWeek = await confirmed('05-05T10:00');
  expect(await digestAt('05-06T06:01')).toBeUndefined();
  expect(await digestAt('05-11T06:01')).toEqual([inWeek]);
  const beforePause = await confirmed('05-12T10:00');
  await setCadence('never');
  expect(await digestAt('05-13T06:01')).toBeUndefined();
  await setCadence('daily');
  expect(await digestAt('05-14T06:01')).toEqual([beforePause]);
  await confirmed('05-14T10:00');
  const recent = await confirmed('05-23T10:00');
  expect(await digestAt('05-30T06:01')).toEqual([recent]);
});

test('each change is in one digest, even if the clocks change in the night or the mailer is down in the morning', async () => {
  const { confirmed, digestAt } = await givenDigestReader('Europe/Berlin');
  expect(await digestAt('10-23T06:01')).toEqual([]);
  const inOutage = await confirmed('10-23T10:00');
  const beforeClock = await confirmed('10-25T06:30');
  // The clock changed in the night: 08:00 is 07:00 UTC from now on.
  expect(await digestAt('10-25T07:01')).toEqual([beforeClock, inOutage]);
  const afterClock = await confirmed('10-25T07:00');
  expect(await digestAt('10-26T07:01')).toEqual([afterClock]);
});

test('digests for more members than one statement handles are created page by page', async () => {
  const accountId = await givenAccount(database);
  const ids: string[] = [];
  for (let count = 0; count < 22; count += 1) ids.push(await member(accountId));
  await pool.query("UPDATE members SET digest = 'daily' WHERE id = ANY($1)", [ids]);
  await pool.query("UPDATE members SET digest = 'never' WHERE id <> ALL($1)", [ids]);
  const morning = new Date('2026-05-02T08:01:00.000Z');
  const made = [
    await queueDigests(pool, morning),
    await queueDigests(pool, morning),
    await queueDigests(pool, morning),
  ];
  expect(made).toEqual([20, 2, 0]);
});

test('an email in progress keeps its claim beyond the lease, and its next attempt never moves forward', async () => {
  const outbox = mailOutbox(database);
  await pool.query('DELETE FROM mails');
  await insertMails(
    pool,
    [{ accountId: null, memberId: null, recipient: 'x@label.example', kind: 'x', data: {} }],
    start,
  );
  const claim = () => outbox.claim({ limit: 5, leaseMs: 30_000 });
  const pass = (seconds: number) =>
    pool.query("UPDATE mails SET next_try_at = next_try_at - $1 * interval '1 second'", [seconds]);
  const [mail] = await claim();
  if (!mail) throw new Error('None is due.');
  await pass(25);
  await outbox.renew([mail.id], 30_000);
  await pass(25);
  expect(await claim()).toEqual([]);
  await outbox.settle(mail, { kind: 'retry', error: '451', afterMs: 600_000 });
  await outbox.renew([mail.id], 30_000);
  await pass(590);
  expect(await claim()).toEqual([]);
  await pass(10);
  expect(await claim()).toMatchObject([{ id: mail.id, tries: 2 }]);
  // The claim has expired, and the first mailer reports its result late.
  await outbox.settle(mail, { kind: 'retry', error: '451', afterMs: 0 });
  expect(await claim()).toEqual([]);
});

test('an email that expires soon does not wait for thousands of older ones', async () => {
  const outbox = mailOutbox(database);
  await pool.query('DELETE FROM mails');
  const mail = (recipient: string) => ({ accountId: null, memberId: null, recipient, kind: 'x', data: {} });
  await insertMails(
    pool,
    Array.from({ length: 1_000 }, (_, number) => mail(`${number}@label.example`)),
    start,
  );
  await insertMails(pool, [{ ...mail('waits@label.example'), expiresAt: after(900_000) }], after(60_000));
  const claimed = await outbox.claim({ limit: 20, leaseMs: 30_000 });
  expect(claimed).toHaveLength(20);
  expect(claimed.map(({ recipient }) => recipient)).toContain('waits@label.example');
});

test('a flood of invitations does not delay sign-in codes and leaves half of the slots to other emails', async () => {
  const outbox = mailOutbox(database);
  await pool.query('DELETE FROM mails');
  const mail = (recipient: string) => ({ accountId: null, memberId: null, recipient, kind: 'x', data: {} });
  const inAWeek = after(7 * 86_400_000);
  await insertMails(
    pool,
    Array.from({ length: 1_000 }, () => ({ ...mail('stranger@label.example'), expiresAt: inAWeek })),
    start,
  );
  const others = Array.from({ length: 30 }, () => mail('member@label.example'));
  await insertMails(pool, [...others, { ...mail('code@label.example'), expiresAt: after(900_000) }], after(60_000));
  const claim = async (limit: number) => {
    const claimed = await outbox.claim({ limit, leaseMs: 30_000 });
    return ['code', 'stranger', 'member'].map(
      (name) => claimed.filter(({ recipient }) => recipient === `${name}@label.example`).length,
    );
  };
  expect(await claim(20)).toEqual([1, 9, 10]);
  expect(await claim(2)).toEqual([0, 1, 1]);
  expect(await claim(20)).toEqual([0, 10, 10]);
  expect(await claim(20)).toEqual([0, 11, 9]);
  expect(await claim(20)).toEqual([0, 20, 0]);
});

test('a waiting email is never sent after its member was removed or its account was deleted', async () => {
  await pool.query('DELETE FROM mails');
  const accounts = [await givenAccount(database), await givenAccount(database)] as const;
  const mails = [];
  for (const accountId of accounts) {
    for (const name of ['ann', 'bob']) {
      const [memberId, recipient] = [newId('mem', start), `${name}-${accountId}@label.example`];
      await memberStore(database).add({ id: memberId, accountId, email: recipient, now: start });
      mails.push({ accountId, memberId, recipient, kind: 'x', data: {} });
    }
  }
  // A sign-in code belongs to no account. A removed member may be a member elsewhere.
  mails.push({
    accountId: null,
    memberId: mails[1]?.memberId ?? null,
    recipient: 'code@x.example',
    kind: 'x',
    data: {},
  });
  await insertMails(pool, mails, start);
  await memberStore(database).remove({ accountId: accounts[0], email: mails[1]?.recipient ?? '', now: start });
  await deleteAccount(database, { id: accounts[1], name: 'Label', now: start });
  const sent: string[] = [];
  const ending = new AbortController();
  const { done } = startMailer({
    outbox: mailOutbox(database),
    transport: {
      async send({ to }) {
        sent.push(to);
        return { kind: 'sent' };
      },
      close() {},
    },
    kinds: { x: { write: () => ({ subject: 'x', parts: [] }) } },
    ...{ dashboardUrl: 'http://127.0.0.1', clock: systemClock, signal: ending.signal },
    log: createLogger({ service: 'dashboard', level: 'error' }),
    metrics: createMetrics({ service: 'dashboard' }),
  });
  const isSettled = async () => (await pool.query("SELECT FROM mails WHERE state = 'pending'")).rowCount === 0;
  await until('all deliveries to be settled', isSettled);
  ending.abort();
  await done;
  expect(sent.toSorted()).toEqual([mails[0]?.recipient, 'code@x.example']);
});

test('owners are informed of a new key once, but later owners are not', async () => {
  const accountId = await givenAccount(database);
  const [owner, later] = [await member(accountId), await member(accountId)];
  await pool.query("UPDATE members SET role = 'owner' WHERE account_id = $1", [accountId]);
  // The later owner joins in the same millisecond in which the key is created.
  await pool.query('UPDATE members SET joined_at = $2 WHERE id = $1', [later, start]);
  // One owner got an email about the invitation of the other.
  await pool.query('DELETE FROM mails');
  await givenKey(accountId);
  await Promise.all([making(1_000), making(1_000)]);
  await making(2_000);
  expect(await mailsTo(owner)).toMatchObject([
    { kind: 'new_key', data: { hint: 'aw_live_', scopes: ['read', 'manage'] } },
  ]);
  expect(await mailsTo(later)).toEqual([]);
});

test.each([
  ['is revoked before the loop runs', { revokedAt: after(500) }],
  ['was created by a form that was open for seven days', { formAt: after(-7 * 86_400_000) }],
  ['was created a day before the loop could run again', { createdAt: after(2_000 - 86_400_000) }],
])('owners are informed of a new key even if it %s', async (_, key) => {
  const accountId = await givenAccount(database);
  const owner = await member(accountId);
  await givenKey(accountId, key);
  await making(1_000);
  expect(await mailsTo(owner)).toMatchObject([{ kind: 'new_key' }]);
});

test('owners get one email a week before a key expires, unless the key is revoked or short-lived', async () => {
  const accountId = await givenAccount(database);
  const owner = await member(accountId);
  await pool.query("UPDATE members SET role = 'owner' WHERE account_id = $1", [accountId]);
  for (const name of ['expiring', 'revoked', 'later', 'short-lived']) await givenKey(accountId, { name });
  const week = 7 * 86_400_000;
  await pool.query(
    `UPDATE api_keys SET created_at = $2, expires_at = $3, revoked_at = CASE WHEN name = 'revoked' THEN $4::timestamptz END
      WHERE account_id = $1`,
    [accountId, after(-30 * 86_400_000), after(week), after(0)],
  );
  await pool.query("UPDATE api_keys SET expires_at = $2 WHERE account_id = $1 AND name = 'later'", [
    accountId,
    after(week + 60_000),
  ]);
  await pool.query("UPDATE api_keys SET created_at = $2 WHERE account_id = $1 AND name = 'short-lived'", [
    accountId,
    after(0),
  ]);
  await pool.query('DELETE FROM mails');
  await Promise.all([making(1_000), making(1_000)]);
  await making(2_000);
  const expiring = (await mailsTo(owner)).filter(({ kind }) => kind === 'key_expires');
  expect(expiring).toMatchObject([{ data: { name: 'expiring' } }]);
});

let keys = 0;

async function givenKey(
  accountId: string,
  {
    createdAt = start,
    formAt = createdAt,
    revokedAt,
    name,
  }: { createdAt?: Date; formAt?: Date; revokedAt?: Date; name?: string } = {},
): Promise<void> {
  keys += 1;
  await pool.query(
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at, revoked_at, name)
     VALUES ($1, $2, $3, 'aw_live_', $4, $5, $6)`,
    [newId('key', formAt), accountId, Buffer.alloc(32, keys), createdAt, revokedAt, name],
  );
}
