import { randomBytes } from 'node:crypto';
import { presentApiKey } from '@artist-watch/contracts/api/access';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import { API_KEY_RANDOM_BYTES, KEY_SCOPES, type KeyScope, makeApiKey } from '@artist-watch/domain/account/api-key';
import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { newId } from '@artist-watch/runtime/ids';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

const MAX_NAME_CHARS = 200;

export function keyCommands(program: Command, cli: Cli): void {
  const key = program.command('key').description('API keys');

  key
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(accountOption())
    .option('--name <name>', 'what its owner calls it', textUpTo(MAX_NAME_CHARS))
    .addOption(new Option('--scopes <scopes>', `some of ${KEY_SCOPES.join(',')}; all unless given`).argParser(scopesIn))
    .action(
      act<{ account: AccountId; name?: string; scopes?: KeyScope[] }>(
        cli,
        async ({ account: accountId, name, scopes }) => {
          const keys = apiKeyIssuer(await cli.database());
          const text = makeApiKey(randomBytes(API_KEY_RANDOM_BYTES));
          const now = cli.clock.now();
          const id = newId('key', now);
          await keys.issue({ id, accountId, key: text, name, scopes, by: OPERATOR, now });
          return one({ id, key: text });
        },
      ),
    );

  key
    .command('revoke')
    .description('refuse a key from now on')
    .requiredOption('--id <id>', 'key_…')
    .action(
      act<{ id: ApiKeyId }>(cli, async ({ id }) => {
        const keys = apiKeyIssuer(await cli.database());
        return one(presentApiKey(await keys.revoke({ id, by: OPERATOR, now: cli.clock.now() })));
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
        return list((await apiKeyIssuer(database).list(account)).map(presentApiKey));
      }),
    );
}

function scopesIn(text: string): KeyScope[] {
  const scopes = KEY_SCOPES.filter((scope) => text.split(',').includes(scope));
  if (scopes.length > 0 && scopes.length === text.split(',').length) return scopes;
  throw new InvalidArgumentError(`It must be some of ${KEY_SCOPES.join(',')}, each once.`);
}
