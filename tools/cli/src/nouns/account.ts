import { type AccountUse, presentUsage } from '@artist-watch/contracts/api/account';
import { artistsUsed, PLAN_NAMES, PLANS, type Plan } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { deleteAccount } from '@artist-watch/persistence/account/delete-account';
import { type AccountRecord, accountStore } from '@artist-watch/persistence/account/store';
import { readUsage } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { newId } from '@artist-watch/runtime/ids';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun } from '../noun.js';
import { limit, pages, required, requiredOneOf, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import type { Shown } from '../text.js';

const MAX_NAME_CHARS = 200;

export const account = required<AccountId>('<id>', 'acc_…');

const plan = requiredOneOf('<plan>', 'plan', PLAN_NAMES);

export function accountCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'account', 'customers');

  verb(
    'create',
    'create an account; then create an API key with "key issue"',
    { name: required('<name>', "the account's name", textUpTo(MAX_NAME_CHARS)), plan },
    async ({ name, plan: chosen }) => {
      const accounts = accountStore(await cli.database());
      const now = cli.clock.now();
      return one(shown(await accounts.create({ id: newId('acc', now), name, plan: chosen, now })));
    },
  );

  verb('list', 'list all accounts, oldest first', { limit }, async ({ limit: max }) => {
    const accounts = accountStore(await cli.database());
    return list(
      pages(max, shownWithAge, (last: AccountRecord | undefined, pageLimit) =>
        accounts.list({ after: last?.id, limit: pageLimit }),
      ),
    );
  });

  verb('show', "show an account with its plan's limits and usage", { account }, async ({ account: id }) => {
    const database = await cli.database();
    const found = await requireAccount(database, id);
    const usage = presentUsage(found.plan, await readUsage(database, id, cli.clock.now()));
    const { api_rate_per_hour: _, paused_by_plan: __, ...shownUsage } = usage;
    return one({ ...shownWithAge(found), ...shownUsage });
  });

  verb(
    'delete',
    'delete an account: access ends immediately, and its data is deleted within a day',
    { account, confirm: required('<name>', "the account's name, as confirmation") },
    async ({ account: id, confirm }) => {
      const request = { id, name: confirm, now: cli.clock.now() };
      const { id: _, name, ...removes } = await deleteAccount(await cli.database(), request);
      return one({ id, name, deleted: true, removes });
    },
  );

  verb(
    'set-plan',
    'change the plan of an account, and show what the new plan pauses',
    { account, plan },
    async ({ account: id, plan: next }) => {
      const database = await cli.database();
      const now = cli.clock.now();
      const changed = await accountStore(database).setPlan({ id, plan: next, now });
      return one({ ...shown(changed), ...showStops(await readUsage(database, id, now), PLANS[next]) });
    },
  );
}

/**
 * Makes list commands fail if the account doesn't exist.
 * @throws NotFound
 */
export async function requireAccount(database: Database, id: AccountId): Promise<AccountRecord> {
  const found = await accountStore(database).find(id);
  if (!found) throw new NotFound('account');
  return found;
}

/** Empty if everything fits within the new plan. */
function showStops(use: AccountUse, limits: Plan): Shown {
  const stops = {
    destinations_paused: use.pausedDestinations,
    artists_over_limit: Math.max(0, artistsUsed(use, limits) - limits.artists),
    seats_over_limit: Math.max(0, use.seats - limits.seats),
    keys_over_limit: Math.max(0, use.keys - limits.keys),
  };
  return Object.values(stops).some((count) => count > 0) ? { stops } : {};
}

function shown({ id, name, plan }: AccountRecord): Shown {
  return { id, name, plan };
}

function shownWithAge(record: AccountRecord): Shown {
  return { ...shown(record), created_at: record.createdAt.toISOString() };
}
