import { randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeFeedToken } from '@artist-watch/domain/account/credentials';
import { makeDifference } from '@artist-watch/domain/change/difference';
import type { AccountId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist } from './api-fixtures.js';
import { seedMember } from './dashboard-fixtures.js';
import type { Suite } from './suite.js';

/** The account has an item for everything that a page can show. */
export interface NamedAccount {
  readonly accountId: AccountId;
  /** The owner has just confirmed a code. */
  readonly cookie: string;
  /** These URLs need no sign-in. */
  readonly open: { readonly feed: string; readonly share: string };
  /** Replaces the parameters of a route's path with ids of the account. */
  fill(path: string): string;
}

/** Every untrusted text contains the name. */
export async function seedNamedAccount(pool: Suite['pool'], name: string): Promise<NamedAccount> {
  const { accountId, keyId } = await seedAccount(pool, 'business');
  const { cookie, memberId, email } = await seedMember(pool, accountId);
  const artistId = await seedWatchedArtist(pool, accountId, { name });
  const ids = await seedFeed(pool, accountId, artistId, [new Date(Date.now() - 60_000), new Date()]);
  const difference = makeDifference({
    ...{ type: 'track_title_changed', entityId: '100001001', entityName: name, before: 'Flowers', after: name },
    release: { platformId: '100001000', name },
  });
  const change = ids[1] as string;
  await pool.query(
    `UPDATE changes SET type = 'track_title_changed', severity = 'critical', entity_type = 'track', entity_name = $2,
            artist_name = $2, summary = $2, difference = $3, observations = $4 WHERE id = ANY ($1)`,
    [
      ids,
      name,
      JSON.stringify(difference),
      JSON.stringify([
        {
          ...{ observedAt: new Date().toISOString(), seen: name, snapshotId: 'snp_1' },
          paths: { listMissing: true, directRead: 'not_asked' },
        },
      ]),
    ],
  );
  const feedToken = makeFeedToken(randomBytes(API_KEY_RANDOM_BYTES));
  const shareToken = randomBytes(32).toString('base64url');
  const seeded = await pool.query<Record<string, string>>(
    `WITH destination AS (
       INSERT INTO destinations (id, account_id, name, url, state, switched_off_at, switched_off_reason, created_at)
       VALUES (new_id('dst', now()), $1, $2, 'https://receiver.example/', 'off', now() + interval '1 s', $2, now()) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (id, account_id, destination_id, change_id, trigger, state, attempt_count, settled_at, created_at)
       SELECT new_id('dlv', now()), $1, id, $3, 'change', 'failed', 1, now(), now() FROM destination RETURNING id, destination_id
     ), attempt AS (
       INSERT INTO attempts (id, delivery_id, number, outcome, blame, status_code, error, reason, response_excerpt,
                             started_at, ended_at)
       SELECT new_id('att', now()), id, 1, 'failed', 'receiver', 500, 'unexpected_status', $2, $2, now(), now() FROM delivery
     ), account AS (
       UPDATE accounts SET name = $2 WHERE id = $1
     ), key AS (
       UPDATE api_keys SET name = $2, created_by = $2 WHERE id = $4
     ), feed AS (
       INSERT INTO feed_tokens (id, account_id, member_id, token_sha256, hint, name, created_by, created_at)
       VALUES (new_id('fed', now()), $1, $5, sha256($7::bytea), 'aw_feed_', $2, $2, now()) RETURNING id
     ), share AS (
       INSERT INTO change_shares (id, account_id, change_id, token_sha256, created_by, created_at, expires_at)
       VALUES (new_id('shr', now()), $1, $3, sha256($8::bytea), $2, now(), now() + interval '1 day') RETURNING id
     ), artist_group AS (
       INSERT INTO artist_groups (id, account_id, name, color, created_at)
       VALUES (new_id('grp', now()), $1, $2, 'blue', now()) RETURNING id
     ), audit AS (
       INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_id, subject_name)
       VALUES (new_id('aud', now()), $1, now(), 'api_key', $4, $2, 'destination.created', 'dst_1', $2)
     ), mail AS (
       INSERT INTO mails (id, account_id, member_id, recipient, kind, data, state, error, created_at, settled_at)
       VALUES (new_id('mai', now()), $1, $5, $6, 'digest', '{}', 'refused', $2, now(), now())
     )
     SELECT destination_id AS destination, delivery.id AS delivery, feed.id AS feed, share.id AS share, artist_group.id AS "group"
       FROM delivery, feed, share, artist_group`,
    [accountId, name, change, keyId, memberId, email, feedToken, shareToken],
  );
  const ours: Readonly<Record<string, string>> = {
    ...{ artist: artistId, change, side: 'before', key: keyId, member: memberId },
    ...seeded.rows[0],
  };
  return {
    accountId,
    cookie,
    open: { feed: `/feed.atom?token=${feedToken}`, share: `/share/${shareToken}` },
    fill: (path) => path.replaceAll(/:(\w+)/g, (_, parameter: string) => ours[parameter] ?? parameter),
  };
}
