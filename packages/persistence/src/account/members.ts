import { domainToASCII, domainToUnicode } from 'node:url';
import { type Actor, type MemberRole, OPERATOR } from '@artist-watch/domain/account/actor';
import { invitationsPerDay } from '@artist-watch/domain/account/plans';
import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import { type Database, queryRows, type Statements } from '../database/database.js';
import { firstIdAt } from '../database/sql-text.js';
import type { Member, Prisma } from '../generated/prisma/client.js';
import { insertMails } from '../mail/outbox.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './store.js';

/** Converts the domain to ASCII, because Chrome submits it as ASCII while Firefox submits it as typed. */
export function canonicalAddress(typed: string): string {
  const { local, domain } = splitAddress(typed);
  return local + (domainToASCII(domain) || domain);
}

/** Returns the member's stored address, or the canonical form if there is no member. */
export async function storedAddress(client: Statements, typed: string): Promise<string> {
  const { local, domain } = splitAddress(typed);
  const canonical = canonicalAddress(typed);
  const [member] = await queryRows<{ email: string }>(client, {
    text: 'SELECT email FROM members WHERE email = ANY($1::text[]) ORDER BY array_position($1::text[], email) LIMIT 1',
    values: [[local + domain, canonical, local + domainToUnicode(domain)]],
  });
  return member?.email ?? canonical;
}

function splitAddress(typed: string) {
  const address = typed.toLowerCase();
  const at = address.lastIndexOf('@') + 1;
  return { local: address.slice(0, at), domain: address.slice(at) };
}

export interface MemberRecord {
  readonly id: MemberId;
  readonly accountId: AccountId;
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: Date;
  /** Null until the invited member signs in for the first time. */
  readonly joinedAt: Date | null;
  readonly zone: string;
}

interface MemberAction {
  readonly accountId: AccountId;
  readonly by?: Actor;
  readonly now: Date;
}

const DAY_MS = 86_400_000;
/** Invitations that have not been sent after this time are discarded. */
const INVITATION_MS = 7 * DAY_MS;

export function memberStore(database: Database) {
  return {
    /**
     * Adds a member and sends an invitation. By default, the first member becomes an owner.
     * @throws NotFound (account), Conflict (already a member, or not ASCII before the @), PlanLimitReached
     */
    add(
      request: MemberAction & { readonly id: MemberId; readonly email: string; readonly role?: MemberRole },
    ): Promise<MemberRecord> {
      const { id, accountId, email, role, by = OPERATOR, now } = request;
      return withAccountLocked(database, accountId, async (transaction, limits) => {
        const address = await storedAddress(transaction, email);
        // Only mail servers with SMTPUTF8 (RFC 6531) accept non-ASCII characters before the @.
        if (/[^!-~].*@/.test(address)) {
          throw new Conflict(`${address} has characters before the @ that are not ASCII. Use another email address.`);
        }
        const where = { accountId_email: { accountId, email: address } };
        if (await transaction.member.findUnique({ where })) {
          throw new Conflict(`${address} is already a member of this account.`);
        }
        const seats = await transaction.member.count({ where: { accountId } });
        if (seats >= limits.seats) throw new PlanLimitReached('members', limits.seats);
        // Count invitations instead of members, because removing a member can't unsend the email.
        const lastDay = { gte: firstIdAt('aud', new Date(now.getTime() - DAY_MS)) };
        const invited = await transaction.auditEvent.count({
          where: { accountId, id: lastDay, action: 'member.invited' },
        });
        const invitations = invitationsPerDay(limits);
        if (invited >= invitations) throw new PlanLimitReached('invitations a day', invitations);
        const newRole = role ?? (seats === 0 ? 'owner' : 'member');
        const data = { id, accountId, email: address, role: newRole, createdAt: now };
        const member = toRecord(await transaction.member.create({ data }));
        await invite(transaction, member, by, now);
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'member.invited', now },
          subject: { id, name: address },
          details: { role: newRole },
        });
        return member;
      });
    },

    /** @throws NotFound, Conflict (the last owner) */
    remove(request: MemberAction & { readonly email: string }): Promise<MemberRecord> {
      const { accountId, email, by = OPERATOR, now } = request;
      return withAccountLocked(database, accountId, async (transaction) => {
        const member = await findMember(transaction, accountId, email);
        if (member.role === 'owner') await refuseLastOwner(transaction, accountId);
        await removeMembers(transaction, accountId, member.email);
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'member.removed', now },
          subject: { id: member.id, name: member.email },
        });
        return member;
      });
    },

    /** @throws NotFound, Conflict (the last owner) */
    setRole(request: MemberAction & { readonly email: string; readonly role: MemberRole }): Promise<MemberRecord> {
      const { accountId, email, role, by = OPERATOR, now } = request;
      return withAccountLocked(database, accountId, async (transaction) => {
        const member = await findMember(transaction, accountId, email);
        if (member.role === role) return member;
        if (member.role === 'owner') await refuseLastOwner(transaction, accountId);
        const row = await transaction.member.update({ where: { id: member.id }, data: { role } });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'member.role_changed', now },
          subject: { id: member.id, name: member.email },
          details: { role },
        });
        return toRecord(row);
      });
    },

    /** Oldest first. */
    async list(accountId: AccountId): Promise<MemberRecord[]> {
      const { rows } = await database.pool.query<MemberRecord>({
        name: 'list-members',
        text: `SELECT id, account_id AS "accountId", email, role, created_at AS "createdAt", joined_at AS "joinedAt", zone
                 FROM members WHERE account_id = $1 ORDER BY id`,
        values: [accountId],
      });
      return rows;
    },

    async setZone(id: MemberId, zone: string): Promise<void> {
      await (await database.prisma()).member.update({ where: { id }, data: { zone } });
    },
  };
}

async function findMember(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  email: string,
): Promise<MemberRecord> {
  const member = await transaction.member.findUnique({
    where: { accountId_email: { accountId, email: await storedAddress(transaction, email) } },
  });
  if (!member) throw new NotFound('member');
  return toRecord(member);
}

async function refuseLastOwner(transaction: Prisma.TransactionClient, accountId: AccountId): Promise<void> {
  if ((await transaction.member.count({ where: { accountId, role: 'owner' } })) > 1) return;
  throw new Conflict('This is the last owner of the account. Make another member an owner first.');
}

async function invite(
  transaction: Prisma.TransactionClient,
  member: MemberRecord,
  by: Actor,
  now: Date,
): Promise<void> {
  const account = await transaction.account.findUniqueOrThrow({ where: { id: member.accountId } });
  const mail = {
    accountId: member.accountId,
    memberId: member.id,
    recipient: member.email,
    kind: 'invitation',
    data: { account: account.name, by: by.kind === 'member' ? by.name : null },
    expiresAt: new Date(now.getTime() + INVITATION_MS),
  };
  await insertMails(transaction, [mail], now);
}

function toRecord(row: Member): MemberRecord {
  return { ...row, id: row.id as MemberId, accountId: row.accountId as AccountId };
}

/** Removes one or all members. If an address is not in any other account, its sessions and devices are removed too. */
export async function removeMembers(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  address: string | null = null,
): Promise<number> {
  // Lock these addresses in all accounts to serialize concurrent removals.
  await transaction.$executeRaw`
    SELECT 1 FROM members
     WHERE email IN (SELECT email FROM members WHERE account_id = ${accountId} AND email = coalesce(${address}, email))
     ORDER BY id FOR UPDATE`;
  const removed = await transaction.$queryRaw<{ email: string }[]>`
    DELETE FROM members WHERE account_id = ${accountId} AND email = coalesce(${address}, email) RETURNING email`;
  const emails = removed.map(({ email }) => email);
  await transaction.$executeRaw`
    WITH gone AS (
      SELECT email FROM unnest(${emails}::text[]) a (email)
       WHERE NOT EXISTS (SELECT FROM members m WHERE m.email = a.email)),
    signed_out AS (DELETE FROM sessions s USING gone WHERE s.email = gone.email),
    asked AS (DELETE FROM sign_in_requests r USING gone WHERE r.email = gone.email),
    mailed AS (DELETE FROM mails m USING gone WHERE m.recipient = gone.email AND m.account_id IS NULL)
    DELETE FROM known_devices d USING gone WHERE d.email = gone.email`;
  return removed.length;
}
