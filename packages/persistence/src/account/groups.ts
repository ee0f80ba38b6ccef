import { type GroupColor, MAX_GROUPS, type ShownGroup } from '@artist-watch/contracts/api/artist';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { AccountId, ArtistId, GroupId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import { type Database, queryRows, type Statements } from '../database/database.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './store.js';

export interface GroupRecord extends ShownGroup {
  readonly id: GroupId;
}

interface GroupReference {
  readonly id: GroupId;
  readonly accountId: AccountId;
  readonly by: Actor;
  readonly now: Date;
}

interface GroupUpdate extends GroupReference {
  readonly name?: string | undefined;
  readonly color?: GroupColor | undefined;
  readonly addArtistIds?: readonly ArtistId[] | undefined;
  readonly removeArtistIds?: readonly ArtistId[] | undefined;
}

/**
 * SQL condition that is true if both of a rule's lists are empty, or if the artist is in one of them.
 * @param account SQL expression of the rule's account
 */
export function allowsArtist(artist: string, account: string, artistIds: string, groupIds: string): string {
  return `(cardinality(${artistIds}) + cardinality(${groupIds}) = 0 OR ${artist} = ANY(${artistIds})
       OR EXISTS (SELECT FROM grouped_artists g
                   WHERE g.account_id = ${account} AND g.artist_id = ${artist} AND g.group_id = ANY(${groupIds})))`;
}

export function groupStore(database: Database) {
  return {
    /** Sorted by name. */
    async list(accountId: AccountId): Promise<GroupRecord[]> {
      const { rows } = await database.pool.query<GroupRecord>({
        name: 'list-groups',
        text: `${SHOWN} WHERE t.account_id = $1 ORDER BY t.name COLLATE "und-x-icu", t.id`,
        values: [accountId],
      });
      return rows;
    },

    /** @throws Conflict (the name exists, or the account has MAX_GROUPS groups), NotFound (account) */
    create(
      { id, accountId, name, color, by, now }: GroupReference & { readonly name: string; readonly color: GroupColor },
      once?: Once<GroupRecord>,
    ): Promise<GroupRecord> {
      const createGroup = async (transaction: Prisma.TransactionClient) => {
        if ((await transaction.artistGroup.count({ where: { accountId } })) >= MAX_GROUPS) {
          throw new Conflict(`An account can have ${MAX_GROUPS} groups. Delete one first.`);
        }
        await requireFreeName(transaction, { accountId, id, name });
        await transaction.artistGroup.create({ data: { id, accountId, name, color, createdAt: now } });
        await recordAudit(transaction, { accountId, actor: by, action: 'group.created', subject: { id, name }, now });
        return readGroup(transaction, { id, accountId });
      };
      return withAccountLocked(database, accountId, createGroup, once);
    },

    /**
     * Omitted fields stay unchanged. Ignores artists that the account does not watch.
     * @throws NotFound, Conflict (the name exists)
     */
    update({ id, accountId, name, color, addArtistIds = [], removeArtistIds = [], by, now }: GroupUpdate) {
      return withAccountLocked(database, accountId, async (transaction) => {
        const group = await readGroup(transaction, { id, accountId });
        if (name !== undefined) await requireFreeName(transaction, { accountId, id, name });
        await transaction.artistGroup.update({
          where: { id },
          data: { ...(name !== undefined && { name }), ...(color !== undefined && { color }) },
        });
        const added = await transaction.$executeRaw`
          INSERT INTO grouped_artists (group_id, artist_id, account_id)
          SELECT ${id}, artist_id, account_id FROM watches WHERE account_id = ${accountId} AND artist_id = ANY(${addArtistIds})
          ON CONFLICT DO NOTHING`;
        const { count: removed } = await transaction.groupedArtist.deleteMany({
          where: { groupId: id, artistId: { in: [...removeArtistIds] } },
        });
        const updated = await readGroup(transaction, { id, accountId });
        const isRenamed = group.name !== updated.name || group.color !== updated.color;
        if (isRenamed || added > 0 || removed > 0) {
          const details = { ...(added > 0 && { added }), ...(removed > 0 && { removed }) };
          const subject = { id, name: updated.name };
          await recordAudit(transaction, { accountId, actor: by, action: 'group.changed', subject, details, now });
        }
        return updated;
      });
    },

    /**
     * Also removes the group from members' email rules.
     * @throws NotFound, Conflict (a destination uses the group)
     */
    delete({ id, accountId, by, now }: GroupReference): Promise<GroupRecord> {
      return withAccountLocked(database, accountId, async (transaction) => {
        const group = await readGroup(transaction, { id, accountId });
        const used = { accountId, deletedAt: null, groupIds: { has: id } };
        const user = await transaction.destination.findFirst({ where: used, select: { name: true, url: true } });
        if (user) {
          throw new Conflict(`The rules of “${user.name ?? user.url}” use this group. Change them first.`);
        }
        await transaction.$executeRaw`
          UPDATE members
             SET mail_group_ids = array_remove(mail_group_ids, ${id}), digest_group_ids = array_remove(digest_group_ids, ${id})
           WHERE account_id = ${accountId} AND ${id} = ANY(mail_group_ids || digest_group_ids)`;
        await transaction.artistGroup.delete({ where: { id } });
        const subject = { id, name: group.name };
        await recordAudit(transaction, { accountId, actor: by, action: 'group.deleted', subject, now });
        return group;
      });
    },
  };
}

const SHOWN = `SELECT t.id, t.name, t.color, t.created_at AS "createdAt",
                      (SELECT count(*)::int FROM grouped_artists g WHERE g.group_id = t.id) AS artists
                 FROM artist_groups t`;

/** @throws NotFound */
async function readGroup(
  transaction: Statements,
  { id, accountId }: Pick<GroupReference, 'id' | 'accountId'>,
): Promise<GroupRecord> {
  const [group] = await queryRows<GroupRecord>(transaction, {
    text: `${SHOWN} WHERE t.id = $1 AND t.account_id = $2`,
    values: [id, accountId],
  });
  if (!group) throw new NotFound('group');
  return group;
}

/** @throws Conflict */
async function requireFreeName(
  transaction: Prisma.TransactionClient,
  { accountId, id, name }: { readonly accountId: AccountId; readonly id: GroupId; readonly name: string },
): Promise<void> {
  const where = { accountId, id: { not: id }, name: { equals: name, mode: 'insensitive' as const } };
  if ((await transaction.artistGroup.count({ where })) > 0) throw new Conflict(`You already have a group “${name}”.`);
}
