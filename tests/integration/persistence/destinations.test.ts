import { randomBytes } from 'node:crypto';
import { claimDeliveries } from '@artist-watch/delivery/store/claims';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { settleAttempts } from '@artist-watch/delivery/store/settlement';
import { ALLOW_ALL } from '@artist-watch/domain/delivery/destination-rules';
import { pausesMs } from '@artist-watch/domain/delivery/retry-schedule';
import type { DestinationId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import { until } from '@artist-watch/harness/until';
import { inTransaction } from '@artist-watch/persistence/database/database';
import { type DestinationCommands, destinationCommands } from '@artist-watch/persistence/destination/commands';
import { readDestination, readDestinations } from '@artist-watch/persistence/destination/reads';
import { createSecretBox, resealSecrets, SealError } from '@artist-watch/persistence/secret-box';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  after,
  givenAccount,
  givenChange,
  givenDestination,
  givenWatch,
  openStores,
  type Stores,
  start,
} from './given.js';

let stores: Stores;
let destinations: DestinationCommands;
beforeAll(async () => {
  stores = await openStores();
  destinations = destinationCommands(stores.database, stores.box);
});

async function query(text: string, ...values: unknown[]) {
  return (await stores.database.pool.query(text, values)).rows;
}

function statesOf(destinationId: DestinationId) {
  return query(
    'SELECT state, skipped_reason, next_attempt_at, relay_at FROM deliveries WHERE destination_id = $1 ORDER BY id',
    destinationId,
  );
}

const skipped = (reason: string) => ({
  state: 'skipped',
  skipped_reason: reason,
  next_attempt_at: null,
  relay_at: null,
});

describe('stored destinations', () => {
  test('a new destination is active, has no warnings, and is unsigned if it has no secret', async () => {
    const accountId = await givenAccount(stores.database);
    const id = newId('dst', start);
    const rules = {
      minSeverity: 'warning',
      changeTypes: ['release_removed'],
      artistIds: ['art_1'],
      groupIds: [],
    } as const;
    const url = 'https://receiver.example/a?b=c';
    const { secret, ...created } = await destinations.create({ id, accountId, url, secret: null, rules, now: start });
    expect(secret).toBeNull();
    expect(created).toEqual({
      id,
      accountId,
      kind: 'webhook',
      name: null,
      stats24h: { deliveries: 0, pending: 0, succeeded: 0, failed: 0, skipped: 0 },
      url,
      state: 'active',
      signed: false,
      nextSecretPending: false,
      headers: [],
      standardWebhooks: false,
      pausedByPlan: false,
      rules,
      consecutiveFailures: 0,
      createdAt: start,
      switchedOffAt: null,
      switchedOffReason: null,
      notices: [],
    });
    expect(await readDestination(stores.database.pool, { id, accountId })).toEqual(created);
    expect(await readDestinations(stores.database, accountId)).toEqual([created]);
  });

  test('a change to the headers is in the audit log, and the header values are not shown', async () => {
    const accountId = await givenAccount(stores.database);
    const id = await givenDestination(stores, accountId);
    await destinations.update({ id }, { headers: [{ name: 'X-Api-Key', value: 'secret' }] }, start);
    const changed = "SELECT details FROM audit_events WHERE subject_id = $1 AND action = 'destination.changed'";
    expect(await query(changed, id)).toMatchObject([{ details: { changed: 'headers' } }]);
    expect(await readDestination(stores.database.pool, { id })).toMatchObject({
      headers: [{ name: 'X-Api-Key', value: '(hidden)' }],
    });
  });

  test('headers do not follow a URL to another host, because their values are not readable', async () => {
    const accountId = await givenAccount(stores.database);
    const id = await givenDestination(stores, accountId);
    const { url } = await readDestination(stores.database.pool, { id });
    const headers = [{ name: 'X-Api-Key', value: 'secret' }];
    await destinations.update({ id }, { headers }, start);
    await destinations.update({ id }, { url: `${new URL(url).origin}/other-path` }, start);
    const moved = { url: 'https://elsewhere.example/' };
    await expect(destinations.update({ id }, moved, start)).rejects.toBeInstanceOf(Conflict);
    expect(await destinations.update({ id }, { ...moved, headers }, start)).toMatchObject(moved);
    await expect(destinations.update({ id }, { url }, start)).rejects.toBeInstanceOf(Conflict);
    expect(await destinations.update({ id }, { url, headers: [] }, start)).toMatchObject({ url, headers: [] });
  });

  test('an update does not change omitted fields', async () => {
    const accountId = await givenAccount(stores.database);
    const id = await givenDestination(stores, accountId);
    await destinations.update({ id }, { rules: { minSeverity: 'critical', changeTypes: ['label_changed'] } }, start);
    const changes = { rules: { minSeverity: null }, url: 'https://other.example/' };
    const updated = await destinations.update({ id }, changes, start);
    expect(updated.url).toBe('https://other.example/');
    expect(updated.rules).toEqual({ minSeverity: null, changeTypes: ['label_changed'], artistIds: [], groupIds: [] });
  });

  test('the audit log shows what was done and by whom, and omits requests without effect', async () => {
    const accountId = await givenAccount(stores.database);
    const id = await givenDestination(stores, accountId);
    await query(
      `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at, name) VALUES ($1, $2, $3, 'aw_live_x', $4, 'Backend')`,
      ...[`key_of_${id}`, accountId, Buffer.from(id), start],
    );
    const byKey = { id, accountId, by: { kind: 'api_key', id: `key_of_${id}`, name: 'key' } } as const;
    await destinations.update(byKey, { url: 'https://other.example/', rules: {} }, after(1));
    const same = { name: null, headers: [], standardWebhooks: false, rules: { ...ALLOW_ALL } };
    await destinations.update(byKey, { url: 'https://other.example/', ...same }, after(1));
    await destinations.disable(byKey, after(2));
    await destinations.disable(byKey, after(3));
    await destinations.delete({ id }, after(4));
    const events = await query(
      'SELECT actor_name, action, subject_id, details FROM audit_events WHERE account_id = $1 ORDER BY id',
      accountId,
    );
    expect(events.map((event) => event.actor_name)).toEqual([
      'operator',
      'Backend (aw_live_x…)',
      'Backend (aw_live_x…)',
      'operator',
    ]);
    expect(events.map((event) => event.action)).toEqual(
      ['created', 'changed', 'disabled', 'deleted'].map((verb) => `destination.${verb}`),
    );
    expect(events[1]).toMatchObject({ subject_id: id, details: { changed: 'address' } });
  });

  test('the list of destinations is newest first', async () => {
    const accountId = await givenAccount(stores.database);
    const ids = [];
    for (const minutes of [1, 2, 3]) {
      const id = newId('dst', after(minutes * 60_000));
      await destinations.create({
        id,
        accountId,
        url: 'https://x.example/',
        secret: null,
        rules: ALLOW_ALL,
        now: start,
      });
      ids.unshift(id);
    }
    expect((await readDestinations(stores.database, accountId)).map(({ id }) => id)).toEqual(ids);
  });

  test("another account's destination is never found", async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    const foreign = { id, accountId: await givenAccount(stores.database) };
    const notFound = new NotFound('destination');
    await expect(readDestination(stores.database.pool, foreign)).rejects.toEqual(notFound);
    await expect(destinations.update(foreign, { url: 'https://mine.example/' }, start)).rejects.toEqual(notFound);
    await expect(destinations.delete(foreign, start)).rejects.toEqual(notFound);
    await expect(destinations.enable(foreign, start)).rejects.toEqual(notFound);
    await expect(destinations.disable(foreign, start)).rejects.toEqual(notFound);
    await expect(destinations.rotate(foreign, { replace: false, now: start })).rejects.toEqual(notFound);
    await expect(destinations.activate(foreign, start)).rejects.toEqual(notFound);
    expect((await readDestination(stores.database.pool, { id })).url).toBe('https://receiver.example/webhooks');
  });

  test('another account cannot lock or write a destination', async () => {
    const accountId = await givenAccount(stores.database);
    const artistId = await givenWatch(stores.database, accountId);
    const id = await givenDestination(stores, accountId);
    const foreign = { id, accountId: await givenAccount(stores.database) };
    await givenChange(stores.database, artistId);
    // An account that may switch the destination off also skips its pending deliveries.
    await query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, id);
    await inTransaction(stores.database.pool, async (client) => {
      await client.query('SELECT 1 FROM destinations WHERE id = $1 FOR UPDATE', [id]);
      // Each statement would wait for the lock forever.
      for (const asked of [
        destinations.update(foreign, { url: 'https://mine.example/' }, start),
        destinations.delete(foreign, start),
        destinations.enable(foreign, start),
        destinations.disable(foreign, start),
        destinations.rotate(foreign, { replace: false, now: start }),
        destinations.activate(foreign, start),
      ]) {
        await expect(asked).rejects.toEqual(new NotFound('destination'));
      }
    });
    expect(await statesOf(id)).toMatchObject([{ state: 'pending' }]);
  });
});

describe('deleting', () => {
  test('deleting a destination hides it, skips its pending deliveries, and keeps the other ones', async () => {
    const accountId = await givenAccount(stores.database);
    const artistId = await givenWatch(stores.database, accountId);
    const id = await givenDestination(stores, accountId);
    await givenChange(stores.database, artistId);
    await destinations.delete({ id, accountId }, after(1_000));
    expect(await statesOf(id)).toEqual([skipped('destination_deleted')]);
    expect(await readDestinations(stores.database, accountId)).toEqual([]);
    await expect(readDestination(stores.database.pool, { id, accountId })).rejects.toEqual(new NotFound('destination'));
    await expect(destinations.delete({ id, accountId }, after(2_000))).rejects.toEqual(new NotFound('destination'));
    await givenChange(stores.database, artistId, { at: after(3_000) });
    expect(await statesOf(id)).toHaveLength(1);
  });

  test('deleting a destination deletes its secrets', async () => {
    const accountId = await givenAccount(stores.database);
    const id = newId('dst', start);
    await destinations.create({
      id,
      accountId,
      url: 'https://x.example/',
      secret: 's'.repeat(16),
      rules: ALLOW_ALL,
      now: start,
    });
    await destinations.rotate({ id }, { replace: false, now: start });
    await destinations.delete({ id }, start);
    expect(await query('SELECT sealed_secret, sealed_next_secret FROM destinations WHERE id = $1', id)).toEqual([
      { sealed_secret: null, sealed_next_secret: null },
    ]);
  });
});

describe('switching', () => {
  test('switching a destination off skips pending and new deliveries; switching it on sends nothing and resets its failures', async () => {
    const accountId = await givenAccount(stores.database);
    const artistId = await givenWatch(stores.database, accountId);
    const id = await givenDestination(stores, accountId);
    await query('UPDATE destinations SET consecutive_failures = 7 WHERE id = $1', id);
    await givenChange(stores.database, artistId);
    expect(await destinations.disable({ id, accountId }, after(1_000))).toMatchObject({
      state: 'off',
      switchedOffAt: after(1_000),
      switchedOffReason: 'Switched off by request',
      consecutiveFailures: 7,
    });
    await givenChange(stores.database, artistId, { at: after(2_000) });
    expect(await statesOf(id)).toEqual([skipped('destination_off'), skipped('destination_off')]);

    expect(await destinations.enable({ id, accountId }, after(3_000))).toMatchObject({
      state: 'active',
      switchedOffAt: null,
      switchedOffReason: null,
      consecutiveFailures: 0,
      notices: [
        { kind: 'enabled', at: after(3_000), consecutiveFailures: 7 },
        { kind: 'disabled', at: after(1_000), consecutiveFailures: 7 },
      ],
    });
    expect(await statesOf(id)).toEqual([skipped('destination_off'), skipped('destination_off')]);
  });

  test('switching a destination off twice keeps the time of the first switch-off and is reported once', async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    await destinations.disable({ id }, after(1_000));
    const again = await destinations.disable({ id }, after(2_000));
    expect(again.switchedOffAt).toEqual(after(1_000));
    expect(again.notices).toHaveLength(1);
  });

  test('notices of failures and notices of actions do not displace each other', async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    const report = (kind: string, fromMs: number, count: number) =>
      stores.database.pool.query(
        `INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason)
         SELECT new_id('ntc', now()), $1, $2::notice_kind, $3::timestamptz + n * interval '1 second', 10, n::text
           FROM generate_series(0, $4 - 1) AS n`,
        [id, kind, after(fromMs), count],
      );
    await report('warning', 0, 25);
    await report('switched_off', 100_000, 1);
    await report('secret_rotated', 200_000, 30);
    const { notices } = await readDestination(stores.database.pool, { id });
    expect(notices.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => `secret_rotated ${29 - n}`),
      'switched_off 0',
      ...Array.from({ length: 19 }, (_, n) => `warning ${24 - n}`),
    ]);

    await report('warning', 300_000, 25);
    expect(
      (await readDestination(stores.database.pool, { id })).notices.filter(({ kind }) => kind === 'secret_rotated'),
    ).toHaveLength(20);
  });

  test('switching a destination off and on keeps a pending test', async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    const test = { deliveryId: newId('dlv', start), changeId: newId('chg', start), now: start };
    await deliveryCommands(stores.database).test({ id }, test);
    await destinations.disable({ id }, after(1_000));
    expect(await statesOf(id)).toMatchObject([{ state: 'pending' }]);
    expect(await destinations.enable({ id }, after(2_000))).toMatchObject({ state: 'active' });
    expect(await statesOf(id)).toMatchObject([{ state: 'pending' }]);
  });

  test('switching on an active destination resets its failures in a row too', async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    expect((await destinations.enable({ id }, start)).notices).toEqual([]);
    await query('UPDATE destinations SET consecutive_failures = 19 WHERE id = $1', id);
    expect(await destinations.enable({ id }, start)).toMatchObject({ state: 'active', consecutiveFailures: 0 });
  });

  test('a request in progress finishes after a switch-off and is not retried', async () => {
    const accountId = await givenAccount(stores.database);
    const artistId = await givenWatch(stores.database, accountId);
    const id = await givenDestination(stores, accountId);
    await givenChange(stores.database, artistId);
    const [delivery] = await query('SELECT id FROM deliveries WHERE destination_id = $1', id);
    await query('UPDATE deliveries SET next_attempt_at = now(), relay_at = NULL WHERE destination_id = $1', id);
    expect((await claimDeliveries(stores.database.pool, [delivery.id], 60_000)).size).toBe(1);
    await destinations.disable({ id }, after(1_000));
    await settleAttempts(
      stores.database.pool,
      [
        {
          deliveryId: delivery.id,
          destinationId: id,
          attemptNumber: 1,
          outcome: 'succeeded',
          blame: null,
          statusCode: 204,
          error: null,
          reason: null,
          responseExcerpt: null,
          durationMs: 5,
          endedAgoMs: 0,
          counts: true,
          nextState: 'succeeded',
          retryDelayMs: null,
        },
      ],
      { warnAt: [10, 15], switchOffAfter: 20, pausesMs: pausesMs([]) },
    );
    expect(await statesOf(id)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('switching a destination on first skips the deliveries left from the switch-off, so that all can be recovered', async () => {
    const accountId = await givenAccount(stores.database);
    const artistId = await givenWatch(stores.database, accountId);
    const id = await givenDestination(stores, accountId);
    for (let count = 0; count < 3; count += 1) await givenChange(stores.database, artistId);
    // A worker leaves this state if it crashes between the 20th failure and its consequences.
    await query(`UPDATE destinations SET state = 'off', switched_off_at = now() WHERE id = $1`, id);
    let enabled: ReturnType<typeof destinations.enable> | undefined;
    await inTransaction(stores.database.pool, async (client) => {
      await client.query('SELECT 1 FROM deliveries WHERE destination_id = $1 LIMIT 1 FOR UPDATE', [id]);
      enabled = destinations.enable({ id, accountId }, after(1_000));
      await until('the other deliveries to be skipped', async () => {
        const states = await statesOf(id);
        return states.filter(({ state }: { state: string }) => state === 'skipped').length === 2;
      });
      expect(await readDestination(stores.database.pool, { id })).toMatchObject({ state: 'off' });
    });
    expect(await enabled).toMatchObject({ state: 'active' });
    expect(await statesOf(id)).toEqual(Array(3).fill(skipped('destination_off')));
    expect(
      await deliveryCommands(stores.database).recover({ id, accountId }, { since: start, now: after(2_000) }),
    ).toMatchObject({ recovered: 3 });
  });

  test('concurrent enabling and disabling leave a consistent destination', async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2 === 0 ? destinations.enable({ id }, after(index)) : destinations.disable({ id }, after(index)),
      ),
    );
    const { state, switchedOffAt } = await readDestination(stores.database.pool, { id });
    expect(state === 'off').toBe(switchedOffAt !== null);
  });
});

describe('secrets', () => {
  async function sealedOf(id: DestinationId) {
    const [row] = await query('SELECT sealed_secret, sealed_next_secret FROM destinations WHERE id = $1', id);
    const open = (sealed: Uint8Array | null) => (sealed === null ? null : stores.box.open(sealed, id));
    return { present: open(row.sealed_secret), next: open(row.sealed_next_secret) };
  }

  test('secrets are encrypted, and rotate in two steps', async () => {
    const accountId = await givenAccount(stores.database);
    const id = newId('dst', start);
    const secret = 'first-secret-of-the-receiver';
    await destinations.create({ id, accountId, url: 'https://x.example/', secret, rules: ALLOW_ALL, now: start });
    const [row] = await query('SELECT sealed_secret FROM destinations WHERE id = $1', id);
    expect(row.sealed_secret.includes(secret)).toBe(false);

    const rotated = await destinations.rotate({ id }, { replace: false, now: after(1_000) });
    expect(rotated.nextSecretPending).toBe(true);
    await expect(destinations.rotate({ id }, { replace: false, now: after(1_500) })).rejects.toBeInstanceOf(Conflict);
    expect(await sealedOf(id)).toEqual({ present: secret, next: rotated.nextSecret });
    const { nextSecret } = await destinations.rotate({ id }, { replace: true, now: after(2_000) });
    expect(await sealedOf(id)).toEqual({ present: secret, next: nextSecret });
    const activated = await destinations.activate({ id }, after(3_000));
    expect(activated.nextSecretPending).toBe(false);
    expect(await sealedOf(id)).toEqual({ present: nextSecret, next: null });
    expect(activated.notices.map(({ kind }) => kind)).toEqual(['secret_activated', 'secret_rotated', 'secret_rotated']);
    await expect(destinations.activate({ id }, after(4_000))).rejects.toBeInstanceOf(Conflict);
  });

  test('secrets are re-encrypted with a new key while the system runs, and then the retired key is not needed', async () => {
    const accountId = await givenAccount(stores.database);
    const id = newId('dst', start);
    const given = { id, accountId, url: 'https://x.example/', rules: ALLOW_ALL, now: start };
    await destinations.create({ ...given, secret: 'sealed-under-the-old-key' });
    await destinations.rotate({ id }, { replace: false, now: start });
    await givenDestination(stores, accountId);

    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const before = createSecretBox(oldKey);
    await query(
      'UPDATE destinations SET sealed_secret = NULL, sealed_next_secret = NULL, sealed_headers = NULL WHERE id <> $1',
      id,
    );
    await query(
      'UPDATE destinations SET sealed_secret = $2, sealed_next_secret = $3 WHERE id = $1',
      id,
      before.seal('sealed-under-the-old-key', id),
      before.seal('next-under-the-old-key', id),
    );
    await query('UPDATE destinations SET sealed_headers = $2 WHERE id = $1', id, before.seal('[]', id));
    const during = createSecretBox(newKey, [oldKey]);
    const counts = await Promise.all([1, 2].map(() => resealSecrets(stores.database, during)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    const [row] = await query('SELECT * FROM destinations WHERE id = $1', id);
    const afterwards = createSecretBox(newKey);
    expect(afterwards.open(row.sealed_secret, id)).toBe('sealed-under-the-old-key');
    expect(afterwards.open(row.sealed_next_secret, id)).toBe('next-under-the-old-key');
    expect(afterwards.open(row.sealed_headers, id)).toBe('[]');
    expect(await resealSecrets(stores.database, during)).toBe(0);
    await expect(resealSecrets(stores.database, createSecretBox(randomBytes(32)))).rejects.toBeInstanceOf(SealError);
    await query('UPDATE destinations SET sealed_secret = NULL, sealed_next_secret = NULL, sealed_headers = NULL');
  });

  test('a rotation adds a secret to an unsigned destination', async () => {
    const id = await givenDestination(stores, await givenAccount(stores.database));
    expect((await destinations.rotate({ id }, { replace: false, now: start })).signed).toBe(false);
    expect((await destinations.activate({ id }, start)).signed).toBe(true);
  });
});
