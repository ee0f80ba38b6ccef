import { randomBytes } from 'node:crypto';
import type { FeedItem } from '@artist-watch/contracts/api/account';
import type { Shown } from '@artist-watch/contracts/api/fields';
import type { Actor } from '@artist-watch/domain/account/actor';
import { API_KEY_RANDOM_BYTES, makeFeedToken } from '@artist-watch/domain/account/credentials';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, FeedTokenId, MemberId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import { newId } from '@artist-watch/runtime/ids';
import type { Database } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { displayName, storedSecret } from './api-keys.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './store.js';

/** The limit is the same for every plan, because each feed has one reader. */
const MAX_FEED_TOKENS = 20;

export interface FeedTokenRecord extends Shown<FeedItem> {
  readonly id: FeedTokenId;
  readonly memberId: MemberId | null;
}

export interface CreatedFeed extends FeedTokenRecord {
  /** The secret (packages/domain/src/account/credentials.ts), which is not stored. */
  readonly token: string;
}

const COLUMNS = `id, hint, name, created_at AS "createdAt", created_by AS "createdBy", last_used_at AS "lastUsedAt",
  member_id AS "memberId"`;

export interface FeedReader {
  readonly tokenId: FeedTokenId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly lastUsedAt: Date | null;
}

export function feedTokenStore(database: Database) {
  return {
    /** @throws NotFound (account), Conflict (the id exists, or the account has MAX_FEED_TOKENS feeds) */
    create(
      request: {
        /** Default: a new id. */
        readonly id?: FeedTokenId;
        readonly accountId: AccountId;
        readonly name: string | null;
        readonly by: Actor;
        readonly now: Date;
      },
      once?: Once<CreatedFeed>,
    ): Promise<CreatedFeed> {
      const { accountId, name, by, now, id = newId('fed', now) } = request;
      const token = makeFeedToken(randomBytes(API_KEY_RANDOM_BYTES));
      const createFeed = async (transaction: Prisma.TransactionClient) => {
        if (await transaction.feedToken.findUnique({ where: { id }, select: { id: true } })) {
          throw new Conflict('You already created this feed. Its URL is shown only once.');
        }
        if ((await transaction.feedToken.count({ where: { accountId } })) >= MAX_FEED_TOKENS) {
          throw new Conflict(`An account can have ${MAX_FEED_TOKENS} feeds. Revoke one first.`);
        }
        const { sha256: tokenSha256, hint } = storedSecret(token);
        const memberId = by.kind === 'member' ? (by.id as MemberId) : null;
        const created = { id, hint, name, createdAt: now, createdBy: by.name, lastUsedAt: null, memberId };
        await transaction.feedToken.create({ data: { ...created, accountId, tokenSha256 } });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'feed.created', now },
          subject: { id, name: displayName(created) },
        });
        return { ...created, token };
      };
      return withAccountLocked(database, accountId, createFeed, once);
    },

    /**
     * @param request.memberId if given, the token must belong to this member.
     * @throws NotFound
     */
    async revoke(request: {
      readonly id: FeedTokenId;
      readonly accountId: AccountId;
      readonly memberId?: MemberId | undefined;
      readonly by: Actor;
      readonly now: Date;
    }): Promise<FeedTokenRecord> {
      const { id, accountId, memberId, by, now } = request;
      return (await database.prisma()).$transaction(async (transaction) => {
        const text = `DELETE FROM feed_tokens
                       WHERE id = $1 AND account_id = $2 AND ($3::text IS NULL OR member_id = $3) RETURNING ${COLUMNS}`;
        const values = [id, accountId, memberId ?? null];
        const [revoked] = await transaction.$queryRawUnsafe<FeedTokenRecord[]>(text, ...values);
        if (!revoked) throw new NotFound('feed');
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'feed.revoked', now },
          subject: { id, name: displayName(revoked) },
        });
        return revoked;
      });
    },

    /** Newest first. */
    async list(accountId: AccountId): Promise<FeedTokenRecord[]> {
      const { rows } = await database.pool.query<FeedTokenRecord>({
        name: 'list-feed-tokens',
        text: `SELECT ${COLUMNS} FROM feed_tokens WHERE account_id = $1 ORDER BY id DESC`,
        values: [accountId],
      });
      return rows;
    },

    async findReader(tokenSha256: Uint8Array): Promise<FeedReader | undefined> {
      const { rows } = await database.pool.query<FeedReader>({
        name: 'find-feed-reader',
        text: `SELECT f.id AS "tokenId", f.account_id AS "accountId", a.plan, f.last_used_at AS "lastUsedAt"
                 FROM feed_tokens f JOIN accounts a ON a.id = f.account_id WHERE f.token_sha256 = $1`,
        values: [tokenSha256],
      });
      return rows[0];
    },

    async touch(id: FeedTokenId, now: Date): Promise<void> {
      await database.pool.query({
        text: 'UPDATE feed_tokens SET last_used_at = greatest(last_used_at, $2) WHERE id = $1',
        values: [id, now],
      });
    },
  };
}
