import { gunzipSync, gzipSync } from 'node:zlib';
import type { AccountId } from '@artist-watch/domain/ids';
import { type Database, rowsOf, type Statements } from './database/database.js';
import type { SecretBox } from './secret-box.js';

const HOUR_MS = 3_600_000;

/** How long an answer is kept for repeats of its request (docs/reference/api.md). */
export const IDEMPOTENCY_WINDOW_MS = 24 * HOUR_MS;

/** Of an account within the window, as stored: 400,000 short responses, or 370 long ones of random text. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

/**
 * A list of many lines is long, and says much the same in each. What is short stays as replicas of the release before
 * read it (docs/adr/0010).
 */
const MIN_GZIPPED_CHARS = 1_024;
/** In front of what was compressed before it was sealed. Read as base64 it begins with no version of sealed bytes. */
const GZIPPED = 'gz:';

export interface KeyedRequest {
  readonly accountId: AccountId;
  /** What the caller sent as Idempotency-Key. */
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly requestDigest: Uint8Array;
  readonly now: Date;
}

export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
}

export type Earlier =
  /** Not answered yet. `progress` is what earlier tries have committed; null for nothing. */
  | { readonly kind: 'open'; readonly progress: object | null }
  | ({ readonly kind: 'answered' } & KeptAnswer)
  /** The key was used for another request. */
  | { readonly kind: 'conflict' };

/**
 * A request with an Idempotency-Key, for the transaction that does what it asks for: work and answer commit together, so
 * that a repeat finds both, or neither.
 */
export interface Once<Result> {
  /**
   * First in the transaction, as soon as it holds its lock.
   *
   * @returns what earlier transactions of the same request have recorded; null for nothing.
   * @throws Overtaken
   */
  begin(transaction: Statements): Promise<object | null>;
  /** Last in the transaction: keeps the answer that the result makes. @throws Overtaken */
  keep(transaction: Statements, result: Result): Promise<void>;
  /** In place of `keep`, where the answer is not known yet. @throws Overtaken */
  recordProgress(transaction: Statements, progress: object): Promise<void>;
}

/** The same request was answered, or got further, by another try meanwhile: this transaction must not commit. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor() {
    super('A repeat of this request was faster.');
  }
}

/** The account has stored as much as it may. The oldest hour makes room. */
export class StoredResponsesFull extends Error {
  override readonly name = 'StoredResponsesFull';

  constructor(readonly retryAfterSeconds: number) {
    super('The account has stored its limit of responses.');
  }
}

interface KeyRow {
  readonly isFull: boolean;
  /** Null without a row of the key. */
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

/** Writes only where the key stands as it was found: unused, out of its window, or open with the same progress. */
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

/** @param box seals answers: they show new secrets once. */
export function idempotencyStore({ pool }: Pick<Database, 'pool'>, box: SecretBox) {
  function sealed(body: string, context: string): string {
    const isLong = body.length >= MIN_GZIPPED_CHARS;
    const text = isLong ? gzipSync(body).toString('base64') : body;
    return (isLong ? GZIPPED : '') + Buffer.from(box.seal(text, context)).toString('base64');
  }

  function opened(kept: string, context: string): string {
    const isLong = kept.startsWith(GZIPPED);
    const text = box.open(Buffer.from(isLong ? kept.slice(GZIPPED.length) : kept, 'base64'), context);
    return isLong ? gunzipSync(Buffer.from(text, 'base64')).toString() : text;
  }

  async function find(client: Statements, request: KeyedRequest): Promise<Earlier> {
    const [row] = await rowsOf<KeyRow>(client, { text: FIND, values: keyOf(request) });
    if (!row || row.same === null) {
      // A repeat of a stored response is always answered.
      if (row?.isFull) throw new StoredResponsesFull(Math.ceil((HOUR_MS - (request.now.getTime() % HOUR_MS)) / 1_000));
      return { kind: 'open', progress: null };
    }
    if (!row.same) return { kind: 'conflict' };
    if (row.status === null || row.body === null) return { kind: 'open', progress: row.progress };
    return { kind: 'answered', status: row.status, body: opened(row.body, contextOf(request)) };
  }

  async function write(
    client: Statements,
    request: KeyedRequest,
    written: { readonly answer: KeptAnswer } | { readonly progress: object },
    open: { readonly progress: object | null } | undefined,
  ): Promise<boolean> {
    const [answer, progress] = 'answer' in written ? [written.answer, null] : [undefined, written.progress];
    const body = answer ? sealed(answer.body, contextOf(request)) : null;
    const values = [
      ...[...keyOf(request), request.now.toISOString(), answer?.status ?? null, body, textOf(progress)],
      ...[open === undefined, textOf(open?.progress ?? null)],
    ];
    return (await rowsOf(client, { text: WRITE, values })).length === 1;
  }

  return {
    find: (request: KeyedRequest): Promise<Earlier> => find(pool, request),

    /** @param present the answer to a result. */
    once<Result>(request: KeyedRequest, present: (result: Result) => KeptAnswer): Once<Result> {
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
        keep: (transaction, result) => commit(transaction, { answer: present(result) }),
        recordProgress: (transaction, next) => commit(transaction, { progress: next }),
      };
    },

    /**
     * Keeps an answer that no transaction has kept.
     *
     * @param open what the answer was decided on; without it this answer takes the place of the one that is kept.
     * @returns false when another try was faster.
     */
    keep: (request: KeyedRequest, answer: KeptAnswer, open?: { readonly progress: object | null }): Promise<boolean> =>
      write(pool, request, { answer }, open),
  };
}

function keyOf({ accountId, key, requestDigest, now }: KeyedRequest): string[] {
  const windowStart = new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS);
  return [accountId, key, Buffer.from(requestDigest).toString('hex'), windowStart.toISOString()];
}

function textOf(progress: object | null): string | null {
  return progress && JSON.stringify(progress);
}

function contextOf({ accountId, key }: KeyedRequest): string {
  return `idempotency:${accountId}:${key}`;
}
