import { MEMBER_ROLES, type MemberRole } from '@artist-watch/domain/account/actor';
import type { AccountId } from '@artist-watch/domain/ids';
import { type MemberRecord, memberStore } from '@artist-watch/persistence/account/members';
import { newId } from '@artist-watch/runtime/ids';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { nounOf } from '../noun.js';
import { emailAddress } from '../option-values.js';
import { list, one } from '../print.js';
import type { Shown } from '../text.js';
import { accountOption, requireAccount } from './account.js';

interface Seat {
  readonly account: AccountId;
  readonly email: string;
}

export function memberCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'member', 'people in an account: its seats');

  verb('add', 'give a person a seat, and invite them by mail', [
    accountOption(),
    emailOption(),
    new Option('--role <role>', 'owner or member; without it the first one is the owner').choices(MEMBER_ROLES),
  ]).run(async ({ account: accountId, email, role }: Seat & { readonly role?: MemberRole }) => {
    const members = memberStore(await cli.database());
    const now = cli.clock.now();
    const id = newId('mem', now);
    return one(shown(await members.add({ id, accountId, email, now, ...(role && { role }) })));
  });

  verb('remove', "take a person's seat away", [accountOption(), emailOption()]).run(
    async ({ account: accountId, email }: Seat) => {
      const members = memberStore(await cli.database());
      return one({ ...shown(await members.remove({ accountId, email, now: cli.clock.now() })), removed: true });
    },
  );

  verb('list', 'who has a seat, oldest first', [accountOption()]).run(async ({ account }: { account: AccountId }) => {
    const database = await cli.database();
    await requireAccount(database, account);
    return list((await memberStore(database).list(account)).map(shown));
  });
}

function emailOption(): Option {
  return new Option('--email <address>', 'of the person').argParser(emailAddress).makeOptionMandatory();
}

function shown({ id, email, role, createdAt, joinedAt }: MemberRecord): Shown {
  return {
    id,
    email,
    role,
    state: joinedAt === null ? 'invited' : 'active',
    created_at: createdAt.toISOString(),
  };
}
