import type { ShownDestination, ShownNotice } from '@artist-watch/contracts/api/destination';
import type { Actor } from '@artist-watch/domain/account/actor';
import { HIDDEN_HEADER_VALUE } from '@artist-watch/domain/delivery/custom-headers';
import { SWITCHED_OFF_BY_REQUEST } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
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
