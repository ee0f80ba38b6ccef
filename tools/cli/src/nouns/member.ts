import { MEMBER_ROLES } from '@artist-watch/domain/account/actor';
import { type MemberRecord, memberStore } from '@artist-watch/persistence/account/members';
import { newId } from '@artist-watch/runtime/ids';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun } from '../noun.js';
import { emailAddress, oneOf, required } from '../option-values.js';
import { list, one } from '../print.js';
import type { Shown } from '../text.js';
import { account, requireAccount } from './account.js';

const email = required('<address>', 'email address of the person', emailAddress);
const role = oneOf('<role>', 'owner or member; default: owner for the first member, otherwise member', MEMBER_ROLES);

export function memberCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'member', 'members of an account');

  verb('add', 'add a member, and invite them by email', { account, email, role }, async (given) => {
    const members = memberStore(await cli.database());
    const now = cli.clock.now();
    const person = { id: newId('mem', now), accountId: given.account, email: given.email, now };
    return one(shown(await members.add({ ...person, ...(given.role && { role: given.role }) })));
  });

  verb('remove', 'remove a member', { account, email }, async (given) => {
    const members = memberStore(await cli.database());
    const request = { accountId: given.account, email: given.email, now: cli.clock.now() };
    return one({ ...shown(await members.remove(request)), removed: true });
  });

  verb('list', 'list the members, oldest first', { account }, async ({ account: accountId }) => {
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
