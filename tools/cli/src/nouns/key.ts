import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '@artist-watch/domain/account/api-key';
import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import { type ApiKeyRecord, apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { newId } from '@artist-watch/runtime/ids';
import type { Command } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { list, one } from '../print.js';
import type { Shown } from '../text.js';
import { accountOption, requireAccount } from './account.js';

/** `aw_live_` and four more: enough to tell keys apart, and far from enough to guess one. */
const HINT_CHARS = 12;

export function keyCommands(program: Command, cli: Cli): void {
  const key = program.command('key').description('API keys');

  key
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(accountOption())
    .action(
      act<{ account: AccountId }>(cli, async ({ account: accountId }) => {
        const keys = apiKeyIssuer(await cli.database());
        const text = makeApiKey(randomBytes(API_KEY_RANDOM_BYTES));
        const now = cli.clock.now();
        const { id } = await keys.issue({
          id: newId('key', now),
          accountId,
          secretSha256: createHash('sha256').update(text).digest(),
          hint: text.slice(0, HINT_CHARS),
          now,
        });
        return one({ id, key: text });
      }),
    );

  key
    .command('revoke')
    .description('refuse a key from now on')
    .requiredOption('--id <id>', 'key_…')
    .action(
      act<{ id: ApiKeyId }>(cli, async ({ id }) => {
        const keys = apiKeyIssuer(await cli.database());
        return one(shown(await keys.revoke(id, cli.clock.now())));
      }),
    );

  key
    .command('list')
    .description('the keys of an account, revoked ones too')
    .addOption(accountOption())
    .action(
      act<{ account: AccountId }>(cli, async ({ account }) => {
        const database = await cli.database();
        await requireAccount(database, account);
        return list((await apiKeyIssuer(database).list(account)).map(shown));
      }),
    );
}

function shown({ id, hint, createdAt, revokedAt }: ApiKeyRecord): Shown {
  return { id, hint, created_at: createdAt.toISOString(), revoked_at: revokedAt?.toISOString() ?? null };
}
