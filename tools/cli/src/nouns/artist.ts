import { presentArtist } from '@artist-watch/contracts/api/artist';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { watchStore } from '@artist-watch/persistence/account/watches';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import type { Command } from 'commander';
import { act } from '../act.js';
import { addArtists, readArtistLines } from '../artist/add-artists.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

export function artistCommands(program: Command, cli: Cli): void {
  const artist = program.command('artist').description('the artists that an account watches');
  const watchStoreOf = async () => watchStore(await cli.database(), cli.config.intervalFactor());

  artist
    .command('watch')
    .description('follow an artist; its name is learnt by the first poll')
    .addOption(accountOption())
    .requiredOption('--platform-id <id>', 'as the streaming platform calls it')
    .action(
      act<{ account: AccountId; platformId: string }>(cli, async ({ account: accountId, platformId }) => {
        const platform = cli.config.platform();
        if (!isPlatformId(platform, platformId)) {
          throw new UsageError(`--platform-id ${PLATFORM_ID_FORMS[platform]}.`);
        }
        const watches = await watchStoreOf();
        const now = cli.clock.now();
        const watchId = newId('wat', now);
        const artistId = newArtistId();
        const watched = await watches.watch({ watchId, accountId, artistId, platform, platformId, now });
        return one(presentArtist(watched.artist));
      }),
    );

  artist
    .command('add')
    .description('follow the artists of a file: on each line an id, an address or a name')
    .addOption(accountOption())
    .requiredOption('--file <file>', 'lines of text, or the first column where it ends in .csv; - for standard input')
    .action(
      act<{ account: AccountId; file: string }>(cli, async ({ account, file }) =>
        list(await addArtists(cli, await requireAccount(await cli.database(), account), await readArtistLines(file))),
      ),
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
        const watches = await watchStoreOf();
        return one({ ...presentArtist(await watches.unwatch(account, reference, cli.clock.now())), watched: false });
      }),
    );

  artist
    .command('list')
    .description('whom an account follows, oldest watch first')
    .addOption(accountOption())
    .action(
      act<{ account: AccountId }>(cli, async ({ account }) => {
        await requireAccount(await cli.database(), account);
        return list((await (await watchStoreOf()).list(account, cli.clock.now())).map(presentArtist));
      }),
    );
}

function artistReference(cli: Cli, platformId: string | undefined, artistId: ArtistId | undefined) {
  if (artistId !== undefined && platformId === undefined) return { artistId };
  if (platformId !== undefined && artistId === undefined) return { platform: cli.config.platform(), platformId };
  throw new UsageError('Say which artist, by either --platform-id or --id.');
}
