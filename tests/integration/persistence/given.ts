import { randomBytes } from 'node:crypto';
import type { PlanName } from '@artist-watch/domain/account/plans';
import { ALLOW_ALL } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, ArtistId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { useSuite } from '@artist-watch/harness/suite';
import { accountStore } from '@artist-watch/persistence/account/store';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { fanOutChanges } from '@artist-watch/persistence/change/change-fan-out';
import { type Database, inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { createSecretBox, type SecretBox } from '@artist-watch/persistence/secret-box';
import { newId } from '@artist-watch/runtime/ids';

export const start = new Date('2026-05-01T12:00:00.000Z');

export function after(durationMs: number): Date {
  return new Date(start.getTime() + durationMs);
}

export interface Stores {
  readonly database: Database;
  readonly box: SecretBox;
  /** Another replica serializes accounts separately. */
  readonly openReplica: () => Database;
}

export async function openStores(): Promise<Stores> {
  const { databaseUrl, onEnd } = await useSuite();
  // On a busy machine, opening twenty concurrent connections takes a while, and callers wait for them.
  const patience = { connectTimeoutMs: 30_000, accountWaitMs: 30_000 };
  const openReplica = () => {
    const database = openDatabase({ url: databaseUrl, applicationName: 'stores', poolSize: 20, ...patience });
    onEnd(() => database.close());
    return database;
  };
  return { database: openReplica(), box: createSecretBox(randomBytes(32)), openReplica };
}

export async function givenAccount(database: Database, plan: PlanName = 'business'): Promise<AccountId> {
  const { id } = await accountStore(database).create({ id: newId('acc', start), name: 'Label', plan, now: start });
  return id;
}

let artists = 0;

export async function givenWatch(database: Database, accountId: AccountId, platformId?: string): Promise<ArtistId> {
  artists += 1;
  const { artist } = await watchStore(database).watch({
    accountId,
    platform: 'deezer',
    platformId: platformId ?? `artist-${artists}`,
    now: start,
  });
  return artist.id;
}

export async function givenDestination({ database, box }: Stores, accountId: AccountId): Promise<DestinationId> {
  const { id } = await destinationCommands(database, box).create({
    id: newId('dst', start),
    accountId,
    url: 'https://receiver.example/webhooks',
    secret: null,
    rules: ALLOW_ALL,
    now: start,
  });
  return id;
}

export async function givenChange(
  database: Database,
  artistId: ArtistId,
  { at = start, type = 'release_removed', severity = 'critical', reportedAt = null as Date | null } = {},
): Promise<ChangeId> {
  const id = newId('chg', reportedAt ?? at);
  await inTransaction(database.pool, async (client) => {
    await client.query(
      `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       VALUES ($1, $2, 'confirmed', $3, $4, 'release', '1', 'Discovery', 'It is gone.', $5, $5, '{}')`,
      [id, artistId, type, severity, at],
    );
    await fanOutChanges(client, [id], at);
  });
  return id;
}

export async function settle(database: Database, id: DeliveryId, state: 'succeeded' | 'failed' | 'skipped') {
  await database.pool.query(
    `UPDATE deliveries SET state = $2, settled_at = $3, next_attempt_at = NULL, relay_at = NULL,
            attempt_count = attempt_count + $4 WHERE id = $1`,
    [id, state, start, state === 'skipped' ? 0 : 1],
  );
}
