import type { EntityType, Severity } from '@artist-watch/domain/change/change-types';
import { type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-state';
import { HIDDEN_HEADER_VALUE } from '@artist-watch/domain/delivery/webhook-options';
import type { AccountId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import type { DestinationReference } from '@artist-watch/persistence/destination/reads';
import { IS_UNDELIVERABLE } from '@artist-watch/persistence/destination/skip-undeliverable';
import { monotonicMs, sleep } from '@artist-watch/runtime/clock';
import type pg from 'pg';
import { changeLink, chatMessage, webhookHeaders } from '../delivery-request.js';
import {
  ATTEMPT_COLUMNS,
  type AttemptRecord,
  DELIVERY_COLUMNS,
  type DeliveryRecord,
  type DeliveryReference,
  selectAll,
  selectPage,
} from './record.js';

interface DeliveryListRequest extends DeliveryFilter {
  readonly accountId: AccountId;
  readonly beforeId?: DeliveryId | undefined;
  /** Selects only deliveries that a recovery would send to these destinations. Default: all. */
  readonly missedBy?: readonly DestinationId[] | undefined;
  readonly limit: number;
}

export interface DeliveredChange {
  readonly type: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly entityType: EntityType;
  readonly entityName: string;
  readonly artistId: string;
  readonly artistName: string;
}

export interface SentRequest {
  /** The destination's current URL. For a chat channel, without its secret part. */
  readonly url: string;
  /** Headers built from the destination's current settings. Signatures and custom header values are hidden. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface DeliveryDetail extends DeliveryRecord {
  /** Oldest first. */
  readonly attempts: readonly AttemptRecord[];
  /** Number of attempts before the current round, which a resend or recovery started. */
  readonly roundStart: number;
  /** Null for a test. */
  readonly change: DeliveredChange | null;
  /** Null if the change was deleted because it is older than the longest history of any plan. */
  readonly request: SentRequest | null;
}

export interface RecoveryPreview {
  readonly count: number;
  readonly first: DeliveryRecord | null;
  readonly last: DeliveryRecord | null;
  /** Number of missed deliveries that won't be sent, because the destination is off or the plan does not include it. */
  readonly leftOut: number;
}

export interface ListedDelivery extends DeliveryRecord {
  readonly lastAttempt: Pick<AttemptRecord, 'number' | 'statusCode' | 'error' | 'endedAt'> | null;
}

export type DeliveryReads = ReturnType<typeof deliveryReads>;

/** @param dashboardUrl must be the same as in webhook-worker, so that shown requests equal the sent ones */
export function deliveryReads({ pool, perAccount }: Database, dashboardUrl?: string) {
  return {
    /** Newest first. */
    list: (request: DeliveryListRequest) => listPage<DeliveryRecord>(request, false),

    /** Newest first. */
    async listWithLastAttempts(request: DeliveryListRequest): Promise<ListedDelivery[]> {
      const rows = await listPage<ListedRow>(request, true);
      return rows.map(({ lastAttempt, ...delivery }) => ({
        ...delivery,
        lastAttempt: lastAttempt && { ...lastAttempt, endedAt: new Date(lastAttempt.endedAt) },
      }));
    },

    /** @throws NotFound */
    async show({ id, accountId }: DeliveryReference): Promise<DeliveryDetail> {
      const { rows } = await pool.query<DetailRow>(SHOW, [id, accountId ?? null]);
      const [row] = rows;
      if (!row) throw new NotFound('delivery');
      const { attempts, kind, url, signed, body, ...shown } = row;
      return {
        ...shown,
        attempts: attempts.map((attempt) => ({
          ...attempt,
          startedAt: new Date(attempt.startedAt),
          endedAt: new Date(attempt.endedAt),
        })),
        request: body === null ? null : buildSentRequest(row, body, dashboardUrl),
      };
    },

    /** Searches the destination's 50 newest deliveries that were created before `before`. */
    async lastAttempt(
      { id, accountId }: { readonly id: DestinationId; readonly accountId: AccountId },
      before: Date,
    ): Promise<AttemptRecord | undefined> {
      const filter = { destinationId: id, until: before };
      const { text, values } = selectPage({ accountId, filter, columns: 'd.id', order: 'newest first', limit: 50 });
      const { rows } = await pool.query<AttemptRecord>(
        `SELECT ${ATTEMPT_COLUMNS}
           FROM (${text}) newest CROSS JOIN LATERAL (
             SELECT * FROM attempts WHERE delivery_id = newest.id ORDER BY number DESC LIMIT 1) a
          ORDER BY a.ended_at DESC LIMIT 1`,
        values,
      );
      return rows[0];
    },

    /**
     * The destination may be off.
     * @throws NotFound
     */
    async previewRecovery(destination: DestinationReference, range: Pick<DeliveryFilter, 'since' | 'until'>) {
      const owningAccountId = await requireDestination(destination);
      return perAccount.run(owningAccountId, () =>
        preview(pool, owningAccountId, { ...range, destinationId: destination.id }, 'true'),
      );
    },

    previewMatchingRecovery: (accountId: AccountId, filter: DeliveryFilter) =>
      perAccount.run(accountId, () => preview(pool, accountId, filter, `NOT ${IS_UNDELIVERABLE}`)),

    requireDestination,
  };

  async function listPage<Row extends pg.QueryResultRow>(
    { accountId, beforeId, missedBy, limit, ...filter }: DeliveryListRequest,
    hasLastAttempts: boolean,
  ): Promise<Row[]> {
    const selection = { accountId, filter, ...(missedBy && { missed: true, destinationIds: missedBy }) };
    const order = 'newest first';
    const page = selectPage({ ...selection, columns: DELIVERY_COLUMNS, order, afterId: beforeId, limit });
    const suffix = statementSuffix(filter);
    const name = `list-${missedBy ? 'missed-' : ''}deliveries-${suffix}${hasLastAttempts ? '-with-attempts' : ''}`;
    const isNamed = suffix !== undefined && beforeId === undefined;
    const text = hasLastAttempts ? withLastAttempts(page.text) : page.text;
    const query = () => pool.query<Row>({ ...(isNamed && { name }), text, values: page.values });
    // A filtered query may read many rows, so each account runs only one at a time.
    const { rows } = await (suffix === undefined ? perAccount.run(accountId, query) : query());
    return rows;
  }

  /**
   * Returns the destination's account. Call this before `previewMatchingRecovery`, which accepts deleted destinations.
   * @throws NotFound
   */
  async function requireDestination({ id, accountId }: DestinationReference): Promise<AccountId> {
    const { rows } = await pool.query<{ account_id: AccountId }>(
      'SELECT account_id FROM destinations WHERE id = $1 AND deleted_at IS NULL AND ($2::text IS NULL OR account_id = $2)',
      [id, accountId ?? null],
    );
    if (!rows[0]) throw new NotFound('destination');
    return rows[0].account_id;
  }
}

interface ListedRow extends DeliveryRecord {
  /** JSON has no date type, so `endedAt` is in milliseconds since 1970. */
  readonly lastAttempt:
    | (Omit<NonNullable<ListedDelivery['lastAttempt']>, 'endedAt'> & { readonly endedAt: number })
    | null;
}

function withLastAttempts(page: string): string {
  return `SELECT d.*, (SELECT json_build_object('number', a.number, 'statusCode', a.status_code, 'error', a.error,
                                                'endedAt', extract(epoch FROM a.ended_at) * 1000)
                         FROM attempts a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1) AS "lastAttempt"
            FROM (${page}) d ORDER BY d.id DESC`;
}

/** Only unfiltered lists use prepared statements, because they are the most frequent. */
function statementSuffix({ until, ...rest }: DeliveryFilter): string | undefined {
  if (Object.values(rest).some((part) => part !== undefined)) return undefined;
  return until === undefined ? 'all' : 'until';
}

/** @param isSent SQL condition that is true if a recovery would send to destination `t` */
async function preview(
  pool: pg.Pool,
  accountId: AccountId,
  filter: DeliveryFilter,
  isSent: string,
): Promise<RecoveryPreview> {
  const { where, values } = selectAll({ accountId, filter, missed: true });
  const suffix = isSent === 'true' ? undefined : statementSuffix(filter);
  const { rows } = await pool.query<{ sent: number; left_out: number; ends: (DeliveryId | null)[] }>({
    ...(suffix !== undefined && { name: `count-missed-deliveries-${suffix}` }),
    text: `SELECT count(*) FILTER (WHERE ${isSent})::int AS sent, count(*) FILTER (WHERE NOT (${isSent}) AND t.deleted_at IS NULL)::int AS left_out,
            ARRAY[min(d.id) FILTER (WHERE ${isSent}), max(d.id) FILTER (WHERE ${isSent})] AS ends
       FROM deliveries d JOIN destinations t ON t.id = d.destination_id
      WHERE ${where}`,
    values,
  });
  const [{ sent, left_out: leftOut, ends }] = rows as [(typeof rows)[number]];
  const [first = null, last = null] = sent === 0 ? [] : await readInOrder(pool, ends);
  return { count: sent, first, last, leftOut };
}

async function readInOrder(pool: pg.Pool, ids: readonly (DeliveryId | null)[]): Promise<(DeliveryRecord | null)[]> {
  const text = `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE id = ANY($1)`;
  const { rows } = await pool.query<DeliveryRecord>(text, [ids]);
  return ids.map((id) => rows.find((delivery) => delivery.id === id) ?? null);
}

interface DetailRow extends Omit<DeliveryDetail, 'attempts' | 'request'> {
  /** JSON has no date type, so times are in milliseconds since 1970. */
  readonly attempts: readonly (Omit<AttemptRecord, 'startedAt' | 'endedAt'> & {
    readonly startedAt: number;
    readonly endedAt: number;
  })[];
  readonly kind: DestinationKind;
  readonly url: string;
  readonly signed: boolean;
  readonly standardWebhooks: boolean;
  readonly headerNames: readonly string[];
  readonly body: string | null;
}

/** A single statement reads both the attempts and their count, so that they always agree. */
const SHOW = `
  SELECT ${DELIVERY_COLUMNS}, d.round_start AS "roundStart", t.kind, t.url, t.sealed_secret IS NOT NULL AS signed,
         t.standard_webhooks AS "standardWebhooks", t.header_names AS "headerNames", coalesce(d.test_body, c.webhook_body) AS body,
         CASE WHEN c.id IS NOT NULL
              THEN json_build_object('type', c.type, 'severity', c.severity, 'summary', c.summary,
                                     'entityType', c.entity_type, 'entityName', c.entity_name,
                                     'artistId', c.artist_id, 'artistName', coalesce(c.artist_name, r.name)) END AS change,
         coalesce((SELECT json_agg(json_build_object(
                                     'id', a.id, 'number', a.number, 'outcome', a.outcome, 'blame', a.blame,
                                     'statusCode', a.status_code, 'error', a.error, 'reason', a.reason,
                                     'responseExcerpt', a.response_excerpt,
                                     'startedAt', extract(epoch FROM a.started_at) * 1000,
                                     'endedAt', extract(epoch FROM a.ended_at) * 1000) ORDER BY a.number)
                     FROM attempts a WHERE a.delivery_id = d.id),
                  '[]') AS attempts
    FROM deliveries d
    JOIN destinations t ON t.id = d.destination_id
    LEFT JOIN changes c ON c.id = d.change_id
    LEFT JOIN artists r ON r.id = c.artist_id
   WHERE d.id = $1 AND ($2::text IS NULL OR d.account_id = $2)`;

function buildSentRequest(
  { id: deliveryId, attemptCount, kind, url, signed, headerNames, ...delivery }: DetailRow,
  body: string,
  dashboardUrl: string | undefined,
): SentRequest {
  if (isChat(kind)) return { url, ...chatMessage(kind, body, changeLink(delivery, dashboardUrl)) };
  const attempt = { ...delivery, deliveryId, attemptNumber: Math.max(1, attemptCount), body };
  const custom = headerNames.map((name) => ({ name, value: HIDDEN_HEADER_VALUE }));
  const hidden = { service: 't=(hidden),v1=(hidden)', standard: () => 'v1,(hidden)' };
  return { url, headers: webhookHeaders(attempt, custom, '(hidden)', signed ? hidden : null), body };
}

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;

/**
 * Waits at most `waitMs` for an attempt or a settlement, then returns the delivery.
 * @throws NotFound
 */
export async function waitForAttempt(
  reads: Pick<DeliveryReads, 'show'>,
  delivery: DeliveryReference,
  waitMs: number,
  stopping: AbortSignal,
): Promise<DeliveryDetail> {
  const untilMs = monotonicMs() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const shown = await reads.show(delivery);
    const ended = shown.attempts.length > 0 || shown.state !== 'pending';
    if (ended || stopping.aborted || monotonicMs() + pauseMs > untilMs) return shown;
    await sleep(pauseMs);
  }
}
