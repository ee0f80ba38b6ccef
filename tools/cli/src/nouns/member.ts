import { MEMBER_ROLES } from '@artist-watch/domain/account/actor';
import { type MemberRecord, memberStore } from '@artist-watch/persistence/account/members';
import { newId } from '@artist-watch/runtime/ids';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { nounOf } from '../noun.js';
import { emailAddress, oneOf, required } from '../option-values.js';
import { list, one } from '../print.js';
import type { Shown } from '../text.js';
import { account, requireAccount } from './account.js';

const email = required('<address>', 'of the person', emailAddress);
const role = oneOf('<role>', 'owner or member; without it the first one is the owner', MEMBER_ROLES);

export function memberCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'member', 'people in an account: its seats');

  verb('add', 'give a person a seat, and invite them by mail', { account, email, role }, async (seat) => {
    const members = memberStore(await cli.database());
    const now = cli.clock.now();
    const person = { id: newId('mem', now), accountId: seat.account, email: seat.email, now };
    return one(shown(await members.add({ ...person, ...(seat.role && { role: seat.role }) })));
  });

  verb('remove', "take a person's seat away", { account, email }, async (seat) => {
    const members = memberStore(await cli.database());
    const request = { accountId: seat.account, email: seat.email, now: cli.clock.now() };
    return one({ ...shown(await members.remove(request)), removed: true });
  });

  verb('list', 'who has a seat, oldest first', { account }, async ({ account: accountId }) => {
    const database = await cli.database();
    await requireAccount(database, accountId);
    return list((await memberStore(database).list(accountId)).map(shown));
  });
}

function shown(member: MemberRecord): Shown {
  const { joinedAt, createdAt } = member;
  const state = joinedAt === null ? 'invited' : 'active';
  return { id: member.id, email: member.email, role: member.role, state, created_at: createdAt.toISOString() };
}
