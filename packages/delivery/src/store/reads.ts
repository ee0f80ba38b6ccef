import type { EntityType, Severity } from '@artist-watch/domain/change/change-types';
import { type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import { HIDDEN_HEADER_VALUE } from '@artist-watch/domain/delivery/custom-headers';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { AccountId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import type { DestinationReference } from '@artist-watch/persistence/destination/record';
import { IS_UNDELIVERABLE } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import { chatMessage, messageId, standardHeaders, webhookHeaders } from '../delivery-request.js';
import { buildConditions, indexRanges, selectPage } from './filter.js';
import {
  ATTEMPT_COLUMNS,
  type AttemptRecord,
  DELIVERY_COLUMNS,
  type DeliveryRecord,
  type DeliveryReference,
} from './record.js';

const MAX_SEARCHED_DELIVERIES = 50;

export interface DeliveryListRequest extends DeliveryFilter {
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

export interface DeliveryReads {
  /** Newest first. */
  list(request: DeliveryListRequest): Promise<DeliveryRecord[]>;
  /** Newest first. */
  listWithLastAttempts(request: DeliveryListRequest): Promise<ListedDelivery[]>;
  /** @throws NotFound */
  show(reference: DeliveryReference): Promise<DeliveryDetail>;
  /** Searches the destination's 50 newest deliveries that were created before `before`. */
  lastAttempt(
    destination: { readonly id: DestinationId; readonly accountId: AccountId },
    before: Date,
  ): Promise<AttemptRecord | undefined>;
  /**
   * The destination may be off.
   * @throws NotFound
   */
  previewRecovery(
    destination: DestinationReference,
    range: Pick<DeliveryFilter, 'since' | 'until'>,
  ): Promise<RecoveryPreview>;
  previewMatchingRecovery(accountId: AccountId, filter: DeliveryFilter): Promise<RecoveryPreview>;
  /**
   * Returns the destination's account. Call this before `previewMatchingRecovery`, which accepts deleted destinations.
   * @throws NotFound
   */
  requireDestination(destination: DestinationReference): Promise<AccountId>;
}

export function deliveryReads({ pool, perAccount }: Database): DeliveryReads {
  return {
    list: (request) => listPage<DeliveryRecord>(request, false),

    async listWithLastAttempts(request) {
      const rows = await listPage<ListedRow>(request, true);
      return rows.map(({ lastAttempt, ...delivery }) => ({
        ...delivery,
        lastAttempt: lastAttempt && { ...lastAttempt, endedAt: new Date(lastAttempt.endedAt) },
      }));
    },

    async show({ id, accountId }) {
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
        request: body === null ? null : buildSentRequest(row, body),
      };
    },

    async lastAttempt({ id, accountId }, before) {
      const filter = { destinationId: id, until: before };
      const newest = {
        accountId,
        filter,
        columns: 'd.id',
        order: 'newest first',
        limit: MAX_SEARCHED_DELIVERIES,
      } as const;
      const { text, values } = selectPage(newest);
      const { rows } = await pool.query<AttemptRecord>(
        `SELECT ${ATTEMPT_COLUMNS}
           FROM (${text}) newest CROSS JOIN LATERAL (
             SELECT * FROM attempts WHERE delivery_id = newest.id ORDER BY number DESC LIMIT 1) a
          ORDER BY a.ended_at DESC LIMIT 1`,
        values,
      );
      return rows[0];
    },

    async previewRecovery(destination, range) {
      const owningAccountId = await requireDestination(destination);
      return perAccount.run(owningAccountId, () =>
        preview(pool, owningAccountId, { ...range, destinationId: destination.id }, 'true'),
      );
    },

    previewMatchingRecovery: (accountId, filter) =>
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
  const selection = { accountId, filter, missed: true };
  const { conditions, values, parameter } = buildConditions(selection);
  const ranges = indexRanges(selection);
  if (ranges) conditions.push(`${ranges.column} = ANY(${parameter(ranges.values)}::${ranges.type}[])`);
  const suffix = isSent === 'true' ? undefined : statementSuffix(filter);
  const { rows } = await pool.query<{ sent: number; left_out: number; ends: (DeliveryId | null)[] }>({
    ...(suffix !== undefined && { name: `count-missed-deliveries-${suffix}` }),
    text: `SELECT count(*) FILTER (WHERE ${isSent})::int AS sent, count(*) FILTER (WHERE NOT (${isSent}) AND t.deleted_at IS NULL)::int AS left_out,
            ARRAY[min(d.id) FILTER (WHERE ${isSent}), max(d.id) FILTER (WHERE ${isSent})] AS ends
       FROM deliveries d JOIN destinations t ON t.id = d.destination_id
      WHERE ${conditions.join(' AND ')}`,
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

const HIDDEN_SIGNATURE = 't=(hidden),v1=(hidden)';

function buildSentRequest(
  { id: deliveryId, changeId, attemptCount: attempts, kind, url, signed, standardWebhooks, headerNames }: DetailRow,
  body: string,
): SentRequest {
  if (isChat(kind)) return { url, ...chatMessage(kind, body) };
  const attempt = { deliveryId, attemptNumber: Math.max(1, attempts) };
  const headers = {
    ...Object.fromEntries(headerNames.map((name) => [name, HIDDEN_HEADER_VALUE])),
    ...webhookHeaders(attempt, signed ? HIDDEN_SIGNATURE : null),
    ...(standardWebhooks && standardHeaders(messageId({ changeId, body }), '(hidden)', signed ? 'v1,(hidden)' : null)),
  };
  return { url, headers, body };
}

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;

export interface Patience {
  readonly pause: (ms: number) => Promise<unknown>;
  readonly monotonicMs: () => number;
  readonly stopping: AbortSignal;
}

/**
 * Waits at most `waitMs` for an attempt or a settlement, then returns the delivery.
 * @throws NotFound
 */
export async function waitForAttempt(
  reads: Pick<DeliveryReads, 'show'>,
  delivery: DeliveryReference,
  waitMs: number,
  { pause, monotonicMs, stopping }: Patience,
): Promise<DeliveryDetail> {
  const untilMs = monotonicMs() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const shown = await reads.show(delivery);
    const ended = shown.attempts.length > 0 || shown.state !== 'pending';
    if (ended || stopping.aborted || monotonicMs() + pauseMs > untilMs) return shown;
    await pause(pauseMs);
  }
}
