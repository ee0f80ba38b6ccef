import { createHash } from 'node:crypto';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, FeedTokenId, MemberId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { FeedToken } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './lock.js';

/** `aw_feed_` and four more. */
const HINT_CHARS = 12;

/** Of an account, whatever its plan: a feed is one reader. */
export const MAX_FEED_TOKENS = 20;

/** A token as its owner sees it in a list. */
export interface FeedTokenRecord {
  readonly id: FeedTokenId;
  /** First characters of the token. */
  readonly hint: string;
  readonly name: string | null;
  readonly createdAt: Date;
  /** The address of a member, the id of an API key, or `operator`. */
  readonly createdBy: string;
  /** Up to a minute behind; null before the first request. */
  readonly lastUsedAt: Date | null;
  /** Null for one that was created over the API. */
  readonly memberId: MemberId | null;
}

/** Whose feed is asked for. */
export interface FeedReader {
  readonly tokenId: FeedTokenId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly lastUsedAt: Date | null;
}

export interface FeedTokenStore {
  /** @throws NotFound (account), Conflict (there is a feed with this id, or there are MAX_FEED_TOKENS) */
  create(
    request: {
      readonly id: FeedTokenId;
      readonly accountId: AccountId;
      /** The token itself (packages/domain/src/account/api-key.ts), of which only the SHA-256 and a hint are kept. */
      readonly token: string;
      readonly name: string | null;
      readonly by: Actor;
      readonly now: Date;
    },
    once?: Once<FeedTokenRecord>,
  ): Promise<FeedTokenRecord>;
  /**
   * @param request.memberId only of this member.
   * @throws NotFound
   */
  revoke(request: {
    readonly id: FeedTokenId;
    readonly accountId: AccountId;
    readonly memberId?: MemberId | undefined;
    readonly by: Actor;
    readonly now: Date;
  }): Promise<FeedTokenRecord>;
  /** Newest first: all there are. */
  list(accountId: AccountId): Promise<FeedTokenRecord[]>;
  /** Undefined for one that is unknown or was revoked. */
  findReader(tokenSha256: Uint8Array): Promise<FeedReader | undefined>;
  /** Writes that the token was used; the api does so for many at once (usage-store.ts). */
  touch(id: FeedTokenId, now: Date): Promise<void>;
}

export function feedTokenStore(database: Database): FeedTokenStore {
  return {
    create({ id, accountId, token, name, by, now }, once) {
      return withAccountLocked(database, accountId, async (transaction) => {
        await once?.begin(transaction);
        if (await transaction.feedToken.findUnique({ where: { id }, select: { id: true } })) {
          throw new Conflict('This form has created its feed already. Its address is shown once only.');
        }
        if ((await transaction.feedToken.count({ where: { accountId } })) >= MAX_FEED_TOKENS) {
          throw new Conflict(`An account has at most ${MAX_FEED_TOKENS} feeds. Revoke one first.`);
        }
        const row = await transaction.feedToken.create({
          data: {
            ...{ id, accountId, name, hint: token.slice(0, HINT_CHARS), createdBy: by.name, createdAt: now },
            memberId: by.kind === 'member' ? by.id : null,
            tokenSha256: Uint8Array.from(createHash('sha256').update(token).digest()),
          },
        });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'feed.created', now },
          subject: { id, name: nameOf(row) },
        });
        const created = toRecord(row);
        await once?.keep(transaction, created);
        return created;
      });
    },

    async revoke({ id, accountId, memberId, by, now }) {
      return (await database.prisma()).$transaction(async (transaction) => {
        const where = { id, accountId, ...(memberId !== undefined && { memberId }) };
        const row = await transaction.feedToken.findUnique({ where });
        const { count } = await transaction.feedToken.deleteMany({ where });
        if (!row || count === 0) throw new NotFound('feed');
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'feed.revoked', now },
          subject: { id, name: nameOf(row) },
        });
        return toRecord(row);
      });
    },

    async list(accountId) {
      const { rows } = await database.pool.query<FeedTokenRecord>({
        name: 'list-feed-tokens',
        text: `SELECT id, hint, name, created_at AS "createdAt", created_by AS "createdBy",
                      last_used_at AS "lastUsedAt", member_id AS "memberId"
                 FROM feed_tokens WHERE account_id = $1 ORDER BY id DESC`,
        values: [accountId],
      });
      return rows;
    },

    async findReader(tokenSha256) {
      const { rows } = await database.pool.query<FeedReader>({
        name: 'find-feed-reader',
        text: `SELECT f.id AS "tokenId", f.account_id AS "accountId", a.plan, f.last_used_at AS "lastUsedAt"
                 FROM feed_tokens f JOIN accounts a ON a.id = f.account_id WHERE f.token_sha256 = $1`,
        values: [tokenSha256],
      });
      return rows[0];
    },

    async touch(id, now) {
      await database.pool.query({
        text: 'UPDATE feed_tokens SET last_used_at = greatest(last_used_at, $2) WHERE id = $1',
        values: [id, now],
      });
    },
  };
}

/** As its owner knows it. */
function nameOf({ name, hint }: FeedToken): string {
  return name === null ? `${hint}…` : `${name} (${hint}…)`;
}

function toRecord(row: FeedToken): FeedTokenRecord {
  const { id, hint, name, createdAt, createdBy, lastUsedAt, memberId } = row;
  return { id: id as FeedTokenId, hint, name, createdAt, createdBy, lastUsedAt, memberId: memberId as MemberId | null };
}
