import type { Actor } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ChangeId, ChangeShareId } from '@artist-watch/domain/ids';
import { Conflict } from '@artist-watch/domain/refusals';
import { recordAudit } from '../account/audit.js';
import { withAccountLocked } from '../account/store.js';
import type { Database } from '../database/database.js';

/** The limits are documented in docs/reference/dashboard.md. */
const SHARE_LIFETIME_MS = 7 * 86_400_000;
const MAX_SHARES_OF_CHANGE = 20;

export interface ChangeShareRecord {
  readonly id: ChangeShareId;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface SharedChange {
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly plan: PlanName;
  readonly changeId: ChangeId;
  readonly expiresAt: Date;
}

interface ShareAction {
  readonly accountId: AccountId;
  readonly change: { readonly id: ChangeId; readonly summary: string };
  readonly by: Actor;
  readonly now: Date;
}

export function changeShareStore(database: Database) {
  const { pool } = database;
  return {
    /**
     * The caller must have checked that the change is in the account's feed.
     * @throws NotFound (account), Conflict (a link with this id exists, or the change has too many links)
     */
    create(share: ShareAction & { readonly id: ChangeShareId; readonly tokenSha256: Uint8Array }): Promise<void> {
      const { id, accountId, change, tokenSha256, by, now } = share;
      return withAccountLocked(database, accountId, async (transaction) => {
        if (await transaction.changeShare.findUnique({ where: { id }, select: { id: true } })) {
          throw new Conflict('You already created this share link. It is shown only once.');
        }
        const where = { accountId, changeId: change.id, expiresAt: { gt: now } };
        if ((await transaction.changeShare.count({ where })) >= MAX_SHARES_OF_CHANGE) {
          throw new Conflict(`A change can have ${MAX_SHARES_OF_CHANGE} share links. Revoke one first.`);
        }
        const data = { id, accountId, changeId: change.id, createdBy: by.name, createdAt: now };
        const expiresAt = new Date(now.getTime() + SHARE_LIFETIME_MS);
        await transaction.changeShare.create({
          data: { ...data, expiresAt, tokenSha256: Uint8Array.from(tokenSha256) },
        });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'change.shared', now },
          subject: { id: change.id, name: change.summary },
        });
      });
    },

    async revoke(share: ShareAction & { readonly id: ChangeShareId }): Promise<void> {
      const { id, accountId, change, by, now } = share;
      return (await database.prisma()).$transaction(async (transaction) => {
        const { count } = await transaction.changeShare.deleteMany({ where: { id, accountId, changeId: change.id } });
        if (count === 0) return;
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'change.share_revoked', now },
          subject: { id: change.id, name: change.summary },
        });
      });
    },

    async list(accountId: AccountId, changeId: ChangeId, now: Date): Promise<ChangeShareRecord[]> {
      const { rows } = await pool.query<ChangeShareRecord>({
        name: 'list-change-shares',
        text: `SELECT id, created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt" FROM change_shares
          WHERE account_id = $1 AND change_id = $2 AND expires_at > $3 ORDER BY id`,
        values: [accountId, changeId, now],
      });
      return rows;
    },

    async find(tokenSha256: Uint8Array, now: Date): Promise<SharedChange | undefined> {
      const { rows } = await pool.query<SharedChange>(
        `SELECT s.account_id AS "accountId", a.name AS "accountName", a.plan::text AS plan, s.change_id AS "changeId", s.expires_at AS "expiresAt"
           FROM change_shares s JOIN accounts a ON a.id = s.account_id
          WHERE s.token_sha256 = $1 AND s.expires_at > $2 AND a.deleted_at IS NULL`,
        [tokenSha256, now],
      );
      return rows[0];
    },
  };
}
