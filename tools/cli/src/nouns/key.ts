import { randomBytes } from 'node:crypto';
import { presentApiKey } from '@artist-watch/contracts/api/access';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import { API_KEY_RANDOM_BYTES, KEY_SCOPES, type KeyScope, makeApiKey } from '@artist-watch/domain/account/api-key';
import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { newId } from '@artist-watch/runtime/ids';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Cli } from '../cli.js';
import { nounOf } from '../noun.js';
import { optional, required, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

const MAX_NAME_CHARS = 200;

export function keyCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'key', 'API keys');

  verb('issue', 'make a key; it is shown this once', [
    accountOption(),
    optional('--name <name>', 'what its owner calls it', textUpTo(MAX_NAME_CHARS)),
    new Option('--scopes <scopes>', `some of ${KEY_SCOPES.join(',')}; all unless given`).argParser(scopesIn),
  ]).run(async ({ account: accountId, name, scopes }: { account: AccountId; name?: string; scopes?: KeyScope[] }) => {
    const keys = apiKeyIssuer(await cli.database());
    const text = makeApiKey(randomBytes(API_KEY_RANDOM_BYTES));
    const now = cli.clock.now();
    const id = newId('key', now);
    await keys.issue({ id, accountId, key: text, name, scopes, by: OPERATOR, now });
    return one({ id, key: text });
  });

  verb('revoke', 'refuse a key from now on', [required('--id <id>', 'key_…')]).run(async ({ id }: { id: ApiKeyId }) => {
    const keys = apiKeyIssuer(await cli.database());
    return one(presentApiKey(await keys.revoke({ id, by: OPERATOR, now: cli.clock.now() })));
  });

  verb('list', 'the keys of an account, revoked ones too', [accountOption()]).run(
    async ({ account }: { account: AccountId }) => {
      const database = await cli.database();
      await requireAccount(database, account);
      return list((await apiKeyIssuer(database).list(account)).map(presentApiKey));
    },
  );
}

function scopesIn(text: string): KeyScope[] {
  const scopes = KEY_SCOPES.filter((scope) => text.split(',').includes(scope));
  if (scopes.length > 0 && scopes.length === text.split(',').length) return scopes;
  throw new InvalidArgumentError(`It must be some of ${KEY_SCOPES.join(',')}, each once.`);
}
