import { makeDifference } from '@artist-watch/domain/change/difference';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { compose } from '../compose.js';
import { readConfig } from '../config.js';
import { elementsOf } from '../testing/gallery.js';
import { allPages } from './all.js';
import type { PageParts } from './parts.js';

const suite = await useSuite();
const { pool } = suite;
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));

/** An account in which everything that somebody else can name has the name, or says it. */
async function named(name: string) {
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
  const seeded = await pool.query<{ destination: string; delivery: string }>(
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
       VALUES (new_id('fed', now()), $1, $5, sha256($1::bytea), 'aw_feed_', $2, $2, now())
     ), share AS (
       INSERT INTO change_shares (id, account_id, change_id, token_sha256, created_by, created_at, expires_at)
       VALUES (new_id('shr', now()), $1, $3, sha256(($1 || 'share')::bytea), $2, now(), now() + interval '1 day')
     ), audit AS (
       INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_id, subject_name)
       VALUES (new_id('aud', now()), $1, now(), 'api_key', $4, $2, 'destination.created', 'dst_1', $2)
     ), mail AS (
       INSERT INTO mails (id, account_id, member_id, recipient, kind, data, state, error, created_at, settled_at)
       VALUES (new_id('mai', now()), $1, $5, $6, 'digest', '{}', 'refused', $2, now(), now())
     )
     SELECT destination_id AS destination, id AS delivery FROM delivery`,
    [accountId, name, change, keyId, memberId, email],
  );
  const ours = { artist: artistId, change, ...seeded.rows[0] } as Readonly<Record<string, string>>;
  return (path: string) =>
    dashboard.call(`/a/${accountId}${path.replaceAll(/:(\w+)/g, (_, parameter) => ours[parameter] ?? parameter)}`, {
      cookie,
    });
}

/** What a page of a list or a form says about the words that were typed. */
const queryOf = (path: string, name: string) =>
  ['/search', '/changes', '/artists'].includes(path) ? `?q=${encodeURIComponent(name.slice(0, 20))}` : '';

/** Every page of the table; an edit form has no file, and codes are typed after a form alone. */
const PATHS = allPages({} as PageParts).flatMap(({ method, path }) => (method === 'GET' ? [path] : []));

describe.each([
  '<script>alert(1)</script>',
  '"onload="alert(1)',
  '\u202egnp.exe',
  '{"__html":"<b>x</b>"}',
  '=HYPERLINK("https://attacker.example")',
])('the name %j', (name) => {
  let plain: Awaited<ReturnType<typeof named>>;
  let hostile: Awaited<ReturnType<typeof named>>;
  beforeAll(async () => {
    [plain, hostile] = await Promise.all([named('Nina Vale'), named(name)]);
  });

  test.each(PATHS)('GET %s: as any other name', async (path) => {
    const [one, other] = [await plain(path + queryOf(path, 'Nina Vale')), await hostile(path + queryOf(path, name))];
    expect([path, other.status]).toEqual([path, one.status]);
    if (/html/.test(String(one.headers['content-type']))) {
      expect(elementsOf(other.text)).toEqual(elementsOf(one.text));
      expect(other.text).not.toContain('\u202e');
    } else {
      // A file has the name as it is, in a cell that no spreadsheet takes for a formula.
      for (const cell of other.text.split(/,|\r\n/)) expect(cell).not.toMatch(/^"?[=+@-]\D/);
    }
  });
});
