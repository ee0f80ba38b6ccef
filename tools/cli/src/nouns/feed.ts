import { FEED_PATH, presentFeed } from '@artist-watch/contracts/api/account';
import { MAX_OWN_NAME_CHARS } from '@artist-watch/contracts/api/fields';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { FeedTokenId } from '@artist-watch/domain/ids';
import { feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun } from '../noun.js';
import { optional, required, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { account, requireAccount } from './account.js';

export function feedCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'feed', 'tokens for the Atom feed of changes');

  verb(
    'create',
    'create a token, and show it; it is shown only once',
    { account, name: optional('<name>', 'display name', textUpTo(MAX_OWN_NAME_CHARS)) },
    async ({ account: accountId, name = null }) => {
      const feeds = feedTokenStore(await cli.database());
      const { token, ...created } = await feeds.create({ accountId, name, by: OPERATOR, now: cli.clock.now() });
      return one({ ...presentFeed(created), token, path: `/v1${FEED_PATH}?token=${token}` });
    },
  );

  verb(
    'revoke',
    'revoke a token',
    { account, id: required<FeedTokenId>('<id>', 'fed_…') },
    async ({ account: accountId, id }) => {
      const feeds = feedTokenStore(await cli.database());
      return one(presentFeed(await feeds.revoke({ id, accountId, by: OPERATOR, now: cli.clock.now() })));
    },
  );

  verb('list', 'list the feed tokens of an account, newest first', { account }, async ({ account: accountId }) => {
    const database = await cli.database();
    await requireAccount(database, accountId);
    return list((await feedTokenStore(database).list(accountId)).map(presentFeed));
  });
}
