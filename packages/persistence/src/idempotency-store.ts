import { gunzipSync, gzipSync } from 'node:zlib';
import type { AccountId } from '@artist-watch/domain/ids';
import { type Database, queryRows, type Statements } from './database/database.js';
import type { SecretBox } from './secret-box.js';

const HOUR_MS = 3_600_000;

/** Documented in docs/api/requests.md. */
export const IDEMPOTENCY_WINDOW_MS = 24 * HOUR_MS;

/** Per account. Enough for 400,000 short responses, or for 370 long ones containing random text. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

/** Short responses stay uncompressed, so that replicas running the previous release can read them (docs/adr/0010). */
const MIN_GZIPPED_CHARS = 1_024;
/** Marks compressed responses. Sealed bytes in base64 never start with this prefix. */
const GZIPPED = 'gz:';

export interface KeyedRequest {
  readonly accountId: AccountId;
  readonly key: string;
  readonly requestDigest: Uint8Array;
  readonly now: Date;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

export type Earlier =
  /** There is no response yet. `progress` comes from earlier attempts. */
  | { readonly kind: 'open'; readonly progress: object | null }
  | ({ readonly kind: 'answered' } & StoredResponse)
  | { readonly kind: 'conflict' };

/** Commits a request's work and response together. */
export interface Once<Result> {
  /**
   * Call this first in the transaction, right after taking its lock.
   * @returns progress from the request's earlier transactions, or null.
   * @throws Overtaken
   */
  begin(transaction: Statements): Promise<object | null>;
  /**
   * Call this last in the transaction.
   * @throws Overtaken
   */
  keep(transaction: Statements, result: Result): Promise<void>;
  /**
   * Call this instead of `keep` while the response is not known yet.
   * @throws Overtaken
   */
  recordProgress(transaction: Statements, progress: object): Promise<void>;
}

/** Another attempt at the same request finished first, so the transaction must not commit. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor() {
    super('Another attempt at this request finished first.');
  }
}

/** The account has too many stored responses. The oldest ones expire first. */
export class StoredResponsesFull extends Error {
  override readonly name = 'StoredResponsesFull';

  constructor(readonly retryAfterSeconds: number) {
    super('The account has reached its limit of stored responses.');
  }
}

interface KeyRow {
  readonly isFull: boolean;
  readonly same: boolean | null;
  readonly status: number | null;
  readonly body: string | null;
  readonly progress: object | null;
}

const FIND = `
  SELECT k.*, stored.bytes >= ${MAX_STORED_BYTES} AS "isFull"
    FROM (SELECT coalesce(sum(bytes), 0) AS bytes FROM idempotency_bytes
           WHERE account_id = $1 AND hour > $4::timestamptz - interval '1 hour') stored
    LEFT JOIN (SELECT request_digest = decode($3, 'hex') AS same, status, body, progress FROM idempotency_keys
                WHERE account_id = $1 AND key = $2 AND created_at > $4::timestamptz) k ON true`;

/** Writes only if the key has not changed since it was read. */
const WRITE = `
  WITH written AS (
  INSERT INTO idempotency_keys AS k (account_id, key, request_digest, created_at, begun_at, status, body, progress)
  VALUES ($1, $2, decode($3, 'hex'), $5::timestamptz, NULL, $6::int, $7, $8::jsonb)
  ON CONFLICT (account_id, key) DO UPDATE
     SET request_digest = excluded.request_digest, begun_at = NULL,
         status = excluded.status, body = excluded.body, progress = excluded.progress,
         created_at = CASE WHEN k.created_at > $4::timestamptz THEN k.created_at ELSE excluded.created_at END
   WHERE k.created_at <= $4::timestamptz
      OR (k.request_digest = excluded.request_digest
          AND ($9::boolean OR (k.status IS NULL AND k.progress IS NOT DISTINCT FROM $10::jsonb)))
  RETURNING key, octet_length(body) AS bytes
  ), counted AS (
  INSERT INTO idempotency_bytes AS b (account_id, hour, bytes)
  SELECT $1, date_trunc('hour', $5::timestamptz, 'UTC'), bytes FROM written WHERE bytes > 0
  ON CONFLICT (account_id, hour) DO UPDATE SET bytes = b.bytes + excluded.bytes
  )
  SELECT key FROM written`;

export type IdempotencyStore = ReturnType<typeof idempotencyStore>;

/** @param box encrypts responses, because they may contain new secrets. */
export function idempotencyStore({ pool }: Pick<Database, 'pool'>, box: SecretBox) {
  function sealBody(body: string, context: string): string {
    const isLong = body.length >= MIN_GZIPPED_CHARS;
    const text = isLong ? gzipSync(body).toString('base64') : body;
    return (isLong ? GZIPPED : '') + Buffer.from(box.seal(text, context)).toString('base64');
  }

  function openBody(stored: string, context: string): string {
    const isLong = stored.startsWith(GZIPPED);
    const text = box.open(Buffer.from(isLong ? stored.slice(GZIPPED.length) : stored, 'base64'), context);
    return isLong ? gunzipSync(Buffer.from(text, 'base64')).toString() : text;
  }

  async function find(client: Statements, request: KeyedRequest): Promise<Earlier> {
    const [row] = await queryRows<KeyRow>(client, { text: FIND, values: keyValues(request) });
    if (!row || row.same === null) {
      // Only requests with new keys are rejected. A repeated request always gets its stored response.
      if (row?.isFull) throw new StoredResponsesFull(Math.ceil((HOUR_MS - (request.now.getTime() % HOUR_MS)) / 1_000));
      return { kind: 'open', progress: null };
    }
    if (!row.same) return { kind: 'conflict' };
    if (row.status === null || row.body === null) return { kind: 'open', progress: row.progress };
    return { kind: 'answered', status: row.status, body: openBody(row.body, sealContext(request)) };
  }

  async function write(
    client: Statements,
    request: KeyedRequest,
    written: { readonly response: StoredResponse } | { readonly progress: object },
    open: { readonly progress: object | null } | undefined,
  ): Promise<boolean> {
    const [response, progress] = 'response' in written ? [written.response, null] : [undefined, written.progress];
    const body = response ? sealBody(response.body, sealContext(request)) : null;
    const values = [
      ...[...keyValues(request), request.now.toISOString(), response?.status ?? null, body, progressText(progress)],
      ...[open === undefined, progressText(open?.progress ?? null)],
    ];
    return (await queryRows(client, { text: WRITE, values })).length === 1;
  }

  return {
    find: (request: KeyedRequest): Promise<Earlier> => find(pool, request),

    once<Result>(request: KeyedRequest, present: (result: Result) => StoredResponse): Once<Result> {
      let progress: object | null = null;
      const commit = async (transaction: Statements, written: Parameters<typeof write>[2]) => {
        if (!(await write(transaction, request, written, { progress }))) throw new Overtaken();
      };
      return {
        async begin(transaction) {
          const earlier = await find(transaction, request);
          if (earlier.kind !== 'open') throw new Overtaken();
          progress = earlier.progress;
          return progress;
        },
        keep: (transaction, result) => commit(transaction, { response: present(result) }),
        recordProgress: (transaction, next) => commit(transaction, { progress: next }),
      };
    },

    /**
     * Stores a response outside a transaction.
     * @param open the state that the response is based on. By default, any response is replaced.
     * @returns false if another attempt was faster.
     */
    keep: (
      request: KeyedRequest,
      response: StoredResponse,
      open?: { readonly progress: object | null },
    ): Promise<boolean> => write(pool, request, { response }, open),
  };
}

function keyValues({ accountId, key, requestDigest, now }: KeyedRequest): string[] {
  const windowStart = new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS);
  return [accountId, key, Buffer.from(requestDigest).toString('hex'), windowStart.toISOString()];
}

function progressText(progress: object | null): string | null {
  return progress && JSON.stringify(progress);
}

function sealContext({ accountId, key }: KeyedRequest): string {
  return `idempotency:${accountId}:${key}`;
}
