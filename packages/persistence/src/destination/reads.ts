import type {
  ShownDestination,
  ShownNotice,
  ShownPreviewedChange,
  ShownRulesPreview,
} from '@artist-watch/contracts/api/destination';
import type { Actor } from '@artist-watch/domain/account/actor';
import { SWITCHED_OFF_BY_REQUEST } from '@artist-watch/domain/delivery/delivery-state';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import { HIDDEN_HEADER_VALUE } from '@artist-watch/domain/delivery/webhook-options';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { allowsArtist } from '../account/groups.js';
import { type Database, queryRows, type Statements } from '../database/database.js';
import { IS_UNDELIVERABLE } from './skip-undeliverable.js';

export interface DestinationRecord extends ShownDestination {
  readonly id: DestinationId;
  readonly accountId: AccountId;
}

/** Operators omit `accountId`, because the destination may belong to any account. */
export interface DestinationReference {
  readonly id: DestinationId;
  readonly accountId?: AccountId;
  /** Default: the operator. */
  readonly by?: Actor;
}

/** Failures and manual actions are listed separately, so that neither can crowd out the other. */
const NOTICES_SHOWN = 20;

/** Limits the cost of reading a busy destination. */
const DELIVERIES_COUNTED = 10_000;

/** @throws NotFound */
export async function readDestination(client: Statements, { id, accountId }: DestinationReference) {
  const condition = 'd.id = $1 AND ($2::text IS NULL OR d.account_id = $2)';
  const [destination] = await select(client, 'read-destination', condition, [id, accountId ?? null]);
  if (!destination) throw new NotFound('destination');
  return destination;
}

export async function hasUnpausedDestination({ pool }: Pick<Database, 'pool'>, accountId: AccountId): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>({
    name: 'has-unpaused-destination',
    text: `SELECT EXISTS (SELECT FROM destinations
                           WHERE account_id = $1 AND deleted_at IS NULL AND NOT plan_required) AS found`,
    values: [accountId],
  });
  return rows[0]?.found ?? false;
}

/** Returns destinations, newest first. Serialized per account, because the query counts recent deliveries. */
export function readDestinations(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  accountId: AccountId,
): Promise<DestinationRecord[]> {
  return perAccount.run(accountId, () => select(pool, 'read-destinations', 'd.account_id = $1', [accountId]));
}

/** @param prefix of the rules' columns, such as `d.` */
export function rulesJson(prefix: string): string {
  return `json_build_object('minSeverity', ${prefix}min_severity, 'changeTypes', ${prefix}change_types,
                              'artistIds', ${prefix}artist_ids, 'groupIds', ${prefix}group_ids)`;
}

type DestinationRow = Omit<DestinationRecord, 'notices'> & {
  /** `at` is in milliseconds since 1970, because JSON has no date type. */
  readonly notices: readonly (Omit<ShownNotice, 'at'> & { readonly at: number })[];
};

async function select(
  client: Statements,
  name: string,
  condition: string,
  values: unknown[],
): Promise<DestinationRecord[]> {
  const text = `SELECT d.id, d.account_id AS "accountId", d.name, d.kind, d.url, d.state,
            d.kind = 'webhook' AND d.sealed_secret IS NOT NULL AS signed,
            d.standard_webhooks AS "standardWebhooks",
            (SELECT coalesce(json_agg(json_build_object('name', name, 'value', '${HIDDEN_HEADER_VALUE}')), '[]')
               FROM unnest(d.header_names) AS name) AS headers,
            d.sealed_next_secret IS NOT NULL AS "nextSecretPending", d.plan_required AS "pausedByPlan",
            ${rulesJson('d.')} AS rules,
            d.consecutive_failures AS "consecutiveFailures", d.created_at AS "createdAt",
            d.switched_off_at AS "switchedOffAt", d.switched_off_reason AS "switchedOffReason",
            (${STATS_24H}) AS "stats24h",
            coalesce((SELECT json_agg(json_build_object('id', n.id, 'kind', n.kind, 'at', extract(epoch FROM n.at) * 1000,
                                                        'consecutiveFailures', n.consecutive_failures, 'reason', n.reason,
                                                        'lastStatus', n.last_status, 'lastError', n.last_error)
                                      ORDER BY n.at DESC, n.id DESC)
                        FROM (${newestNotices(`IN ('warning', 'switched_off')`)}
                              UNION ALL
                              ${newestNotices(`NOT IN ('warning', 'switched_off')`)}) n),
                     '[]') AS notices
       FROM destinations d
      WHERE ${condition} AND d.deleted_at IS NULL
      ORDER BY d.id DESC`;
  const rows = await queryRows<DestinationRow>(client, { name, text, values });
  return rows.map(({ notices, ...row }) => ({
    ...row,
    notices: notices.map((notice) => ({ ...notice, at: new Date(notice.at) })),
  }));
}

/** Delivery ids start with their creation time, so the last 24 hours are one index range. */
const STATS_24H = `
  SELECT json_build_object('deliveries', count(*), 'pending', count(*) FILTER (WHERE state = 'pending'),
                           'succeeded', count(*) FILTER (WHERE state = 'succeeded'),
                           'failed', count(*) FILTER (WHERE state = 'failed'),
                           'skipped', count(*) FILTER (WHERE state = 'skipped'))
    FROM (SELECT state FROM deliveries
           WHERE destination_id = d.id AND id >= 'dlv_' || lpad(to_hex((extract(epoch FROM now() - interval '24 hours') * 1000)::bigint), 12, '0')
             AND test_body IS NULL
           ORDER BY id DESC LIMIT ${DELIVERIES_COUNTED}) recent`;

/** Each list reads its own index range, because there can be very many notifications of one kind. */
function newestNotices(kinds: string): string {
  return `(SELECT * FROM destination_notices WHERE destination_id = d.id AND kind ${kinds}
            ORDER BY at DESC, id DESC LIMIT ${NOTICES_SHOWN})`;
}

export type UnhealthyDestination = Pick<
  DestinationRecord,
  'id' | 'name' | 'url' | 'state' | 'pausedByPlan' | 'switchedOffAt' | 'switchedOffReason' | 'consecutiveFailures'
>;

const IS_DISABLED = `(t.state = 'off' AND t.switched_off_reason IS NOT DISTINCT FROM '${SWITCHED_OFF_BY_REQUEST}')`;

/** SQL that counts destinations and lists unhealthy ones. Leaves out destinations that a member disabled. */
export const CHANNEL_HEALTH = `
  SELECT count(*) FILTER (WHERE NOT ${IS_DISABLED})::int AS channels, count(*) FILTER (WHERE ${IS_DISABLED})::int AS "disabledChannels",
         coalesce(json_agg(json_build_object(
             'id', t.id, 'name', t.name, 'url', t.url, 'state', t.state, 'pausedByPlan', t.plan_required,
             'switchedOffAt', t.switched_off_at, 'switchedOffReason', t.switched_off_reason,
             'consecutiveFailures', t.consecutive_failures) ORDER BY t.id DESC)
           FILTER (WHERE NOT ${IS_DISABLED} AND (${IS_UNDELIVERABLE} OR t.consecutive_failures > 0)), '[]') AS "brokenChannels"
    FROM destinations t
   WHERE t.account_id = $1 AND t.deleted_at IS NULL`;

/** Limited, because an account may have created and deleted many destinations. */
const MAX_LABELS = 200;

export interface DestinationLabel extends Pick<DestinationRecord, 'id' | 'name' | 'kind' | 'url'> {
  readonly isDeleted: boolean;
  /** True if the destination is switched off, paused by the plan, or deleted. */
  readonly isUndeliverable: boolean;
}

/** Includes deleted destinations, because their deliveries can still be read. */
export async function destinationLabels(
  { pool }: Pick<Database, 'pool'>,
  accountId: AccountId,
): Promise<DestinationLabel[]> {
  const { rows } = await pool.query<DestinationLabel>({
    name: 'read-destination-labels',
    text: `SELECT id, name, kind, url, deleted_at IS NOT NULL AS "isDeleted", ${IS_UNDELIVERABLE} AS "isUndeliverable"
       FROM destinations t
      WHERE account_id = $1 ORDER BY deleted_at IS NOT NULL, id DESC LIMIT ${MAX_LABELS}`,
    values: [accountId],
  });
  return rows;
}

const PREVIEW_DAYS = 30;

/** Limits the cost of a preview. */
const MAX_CHANGES = 10_000;

const NEWEST_SHOWN = 10;

export type RulesPreview = ShownRulesPreview;

/**
 * Uses the same conditions as change/change-fan-out.ts. Everything is read in one statement, so that all counts come
 * from the same snapshot.
 */
const PREVIEW = `
  WITH recent AS (
    SELECT change_id FROM feed_items
     WHERE account_id = $1 AND confirmed_at >= $2
     ORDER BY confirmed_at DESC, change_id DESC LIMIT ${MAX_CHANGES}
  ), judged AS MATERIALIZED (
    SELECT c.id, c.confirmed_at, coalesce(c.severity > $3::severity, false) AS by_severity,
           cardinality($4::text[]) > 0 AND c.type <> ALL($4) AS by_type,
           NOT ${allowsArtist('c.artist_id', '$1', '$5::text[]', '$6::text[]')} AS by_artist
      FROM changes c WHERE c.id = ANY(ARRAY(SELECT change_id FROM recent))
  ), matched AS (
    SELECT *, NOT (by_severity OR by_type OR by_artist) AS matches FROM judged
  ), shown AS (
    (SELECT * FROM matched WHERE matches ORDER BY confirmed_at DESC, id DESC LIMIT ${NEWEST_SHOWN})
    UNION ALL
    (SELECT * FROM matched WHERE NOT matches ORDER BY confirmed_at DESC, id DESC LIMIT ${NEWEST_SHOWN})
  )
  SELECT count(*) FILTER (WHERE matches)::int AS matching, count(*) FILTER (WHERE NOT matches)::int AS others,
         count(*) FILTER (WHERE by_severity)::int AS by_severity, count(*) FILTER (WHERE by_type)::int AS by_type,
         count(*) FILTER (WHERE by_artist)::int AS by_artist,
         (SELECT coalesce(json_agg(json_build_object(
                   'id', c.id, 'type', c.type, 'severity', c.severity, 'entityType', c.entity_type,
                   'entityName', c.entity_name, 'artistId', c.artist_id,
                   'artistName', coalesce(c.artist_name, a.name), 'summary', c.summary,
                   'confirmedAtMs', extract(epoch FROM s.confirmed_at) * 1000,
                   'keptBackBy', array_remove(ARRAY[CASE WHEN s.by_severity THEN 'min_severity' END,
                                                    CASE WHEN s.by_type THEN 'change_types' END,
                                                    CASE WHEN s.by_artist THEN 'artist_ids' END], NULL))
                 ORDER BY s.confirmed_at DESC, s.id DESC), '[]')
            FROM shown s JOIN changes c ON c.id = s.id JOIN artists a ON a.id = c.artist_id) AS newest
    FROM matched`;

interface PreviewRow {
  readonly matching: number;
  readonly others: number;
  readonly by_severity: number;
  readonly by_type: number;
  readonly by_artist: number;
  readonly newest: readonly (Omit<ShownPreviewedChange, 'confirmedAt'> & { readonly confirmedAtMs: number })[];
}

export async function previewRules(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  accountId: AccountId,
  { minSeverity, changeTypes, artistIds, groupIds }: DestinationRules,
  now: Date,
): Promise<RulesPreview> {
  const since = new Date(now.getTime() - PREVIEW_DAYS * 86_400_000);
  const query = {
    name: 'preview-rules',
    text: PREVIEW,
    values: [accountId, since, minSeverity, changeTypes, artistIds, groupIds],
  };
  const { rows } = await perAccount.run(accountId, () => pool.query<PreviewRow>(query));
  const [row] = rows as [PreviewRow];
  const newest = row.newest.map(({ confirmedAtMs, ...change }) => ({
    ...change,
    confirmedAt: new Date(confirmedAtMs),
  }));
  return {
    days: PREVIEW_DAYS,
    matching: { count: row.matching, newest: newest.filter(({ keptBackBy }) => keptBackBy.length === 0) },
    others: {
      count: row.others,
      byRule: { min_severity: row.by_severity, change_types: row.by_type, artist_ids: row.by_artist },
      newest: newest.filter(({ keptBackBy }) => keptBackBy.length > 0),
    },
  };
}
