import { presentArtist } from '@artist-watch/contracts/api/artist';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { newId } from '@artist-watch/runtime/ids';
import type { Command } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

const MAX_PLATFORM_ID_CHARS = 100;

export function artistCommands(program: Command, cli: Cli): void {
  const artist = program.command('artist').description('the artists that an account watches');

  artist
    .command('watch')
    .description('follow an artist; its name is learnt by the first poll')
    .addOption(accountOption())
    .requiredOption('--platform-id <id>', 'as the streaming platform calls it', textUpTo(MAX_PLATFORM_ID_CHARS))
    .action(
      act<{ account: AccountId; platformId: string }>(cli, async ({ account: accountId, platformId }) => {
        const platform = cli.config.platform();
        const watches = watchStore(await cli.database());
        const now = cli.clock.now();
        const watchId = newId('wat', now);
        const artistId = newId('art', now);
        const watched = await watches.watch({ watchId, accountId, artistId, platform, platformId, now });
        return one(presentArtist(watched.artist));
      }),
    );

  artist
    .command('unwatch')
    .description('follow an artist no longer')
    .addOption(accountOption())
    .option('--platform-id <id>', 'as the streaming platform calls it')
    .option('--id <id>', 'or art_…')
    .action(
      act<{ account: AccountId; platformId?: string; id?: ArtistId }>(cli, async ({ account, platformId, id }) => {
        const reference = artistReference(cli, platformId, id);
        const watches = watchStore(await cli.database());
        return one({ ...presentArtist(await watches.unwatch(account, reference)), watched: false });
      }),
    );

  artist
    .command('list')
    .description('whom an account follows, oldest watch first')
    .addOption(accountOption())
    .action(
      act<{ account: AccountId }>(cli, async ({ account }) => {
        const database = await cli.database();
        await requireAccount(database, account);
        return list((await watchStore(database).list(account)).map(presentArtist));
      }),
    );
}

function artistReference(cli: Cli, platformId: string | undefined, artistId: ArtistId | undefined) {
  if (artistId !== undefined && platformId === undefined) return { artistId };
  if (platformId !== undefined && artistId === undefined) return { platform: cli.config.platform(), platformId };
  throw new UsageError('Say which artist, by either --platform-id or --id.');
}
