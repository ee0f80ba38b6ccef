import { presentApiKey } from '@artist-watch/contracts/api/account';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import { KEY_SCOPES, type KeyScope } from '@artist-watch/domain/account/credentials';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { addNoun } from '../noun.js';
import { instant, optional, required, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { account, requireAccount } from './account.js';

const MAX_NAME_CHARS = 200;

export function keyCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'key', 'API keys');

  verb(
    'issue',
    'create an API key, and show it; it is shown only once',
    {
      account,
      name: optional('<name>', 'display name', textUpTo(MAX_NAME_CHARS)),
      scopes: optional('<scopes>', `one or more of ${KEY_SCOPES.join(',')}; default: all`, scopesIn),
      expiresAt: optional('<instant>', 'RFC 3339, such as 2027-05-01T12:00:00Z; default: never', instant),
    },
    async ({ account: accountId, name, scopes, expiresAt }) => {
      const keys = apiKeyIssuer(await cli.database());
      const now = cli.clock.now();
      if (expiresAt && expiresAt <= now) throw new UsageError('--expires-at must be in the future.');
      const { id, key } = await keys.issue({ accountId, name, scopes, expiresAt, by: OPERATOR, now });
      return one({ id, key });
    },
  );

  verb('revoke', 'revoke an API key', { id: required<ApiKeyId>('<id>', 'key_…') }, async ({ id }) => {
    const keys = apiKeyIssuer(await cli.database());
    return one(presentApiKey(await keys.revoke({ id, by: OPERATOR, now: cli.clock.now() })));
  });

  verb(
    'list',
    'list the API keys of an account, including revoked ones',
    { account },
    async ({ account: accountId }) => {
      const database = await cli.database();
      await requireAccount(database, accountId);
      return list((await apiKeyIssuer(database).list(accountId)).map(presentApiKey));
    },
  );
}

function scopesIn(text: string): KeyScope[] {
  const scopes = KEY_SCOPES.filter((scope) => text.split(',').includes(scope));
  if (scopes.length > 0 && scopes.length === text.split(',').length) return scopes;
  throw new InvalidArgumentError(`The value must be one or more of ${KEY_SCOPES.join(',')}, without duplicates.`);
}
