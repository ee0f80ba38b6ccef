import type { FoundArtist } from '@artist-watch/catalogue/port';
import { presentArtist } from '@artist-watch/contracts/api/artist';
import { type BulkLine, MAX_BULK_LINES } from '@artist-watch/contracts/api/artist-search';
import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { ArtistId } from '@artist-watch/domain/ids';
import { parseArtistLine } from '@artist-watch/domain/platform/platform-address';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { NotFound } from '@artist-watch/domain/refusals';
import type { AccountRecord } from '@artist-watch/persistence/account/store';
import { searchAllowance } from '@artist-watch/persistence/account/usage-store';
import { watchMany } from '@artist-watch/persistence/account/watch-many';
import { watchStore } from '@artist-watch/persistence/account/watches';
import {
  type BulkWatchParts,
  bulkWatch,
  csvLines,
  decodeLines,
  type Line,
  plainLines,
} from '@artist-watch/track-lookup/bulk-watch';
import { refuseShortLinks } from '@artist-watch/track-lookup/short-links';
import { artistSearch } from '@artist-watch/track-lookup/track-lookup';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { readInput } from '../input-file.js';
import { addNoun } from '../noun.js';
import { optional, required } from '../option-values.js';
import { withPlatformClient } from '../platform/with-platform-client.js';
import { list, one } from '../print.js';
import { account, requireAccount } from './account.js';

export function artistCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'artist', "an account's watched artists");
  const openWatchStore = async () => watchStore(await cli.database(), cli.config.intervalFactor());

  verb(
    'watch',
    'watch an artist; the first poll reads its name',
    { account, platformId: required('<id>', 'id on the streaming platform') },
    async ({ account: accountId, platformId }) => {
      const platform = cli.config.platform();
      if (!isPlatformId(platform, platformId)) {
        throw new UsageError(`--platform-id ${PLATFORM_ID_FORMS[platform]}.`);
      }
      const watches = await openWatchStore();
      const now = cli.clock.now();
      const watched = await watches.watch({ accountId, platform, platformId, now });
      return one(presentArtist(watched.artist));
    },
  );

  verb(
    'add',
    'watch the artists in a file: one id, URL or name per line',
    {
      account,
      file: required('<file>', 'text file, or the first column of a .csv file; - for standard input'),
    },
    async ({ account: id, file }) =>
      list(await addArtists(cli, await requireAccount(await cli.database(), id), await readArtistLines(file))),
  );

  verb(
    'unwatch',
    'stop watching an artist',
    {
      account,
      platformId: optional('<id>', 'id on the streaming platform'),
      id: optional<ArtistId>('<id>', 'art_…, instead of --platform-id'),
    },
    async ({ account: accountId, platformId, id }) => {
      if ((platformId === undefined) === (id === undefined)) {
        throw new UsageError('Name the artist with either --platform-id or --id.');
      }
      await requireAccount(await cli.database(), accountId);
      const watches = await openWatchStore();
      const now = cli.clock.now();
      const watched = await watches.list(accountId, now);
      const artist = watched.find((each) => each.id === id || each.platformId === platformId);
      if (!artist) throw new NotFound('artist');
      await watches.unwatch(accountId, [artist.id], now, OPERATOR);
      return one({ ...presentArtist(artist), watched: false });
    },
  );

  verb('list', 'list the watched artists, longest watched first', { account }, async ({ account: accountId }) => {
    await requireAccount(await cli.database(), accountId);
    return list((await (await openWatchStore()).list(accountId, cli.clock.now())).map(presentArtist));
  });
}

/** @throws UsageError */
function readArtistLines(file: string): Promise<Line[]> {
  return readInput(file, (bytes) => {
    const text = decodeLines(bytes);
    return /\.csv$/i.test(file) ? csvLines(text) : plainLines(text);
  });
}

/**
 * Each artist name counts toward the account's daily searches.
 * @returns one result per line.
 */
async function addArtists(
  cli: Cli,
  { id: accountId, plan }: AccountRecord,
  lines: readonly Line[],
): Promise<BulkLine[]> {
  const database = await cli.database();
  const platform = cli.config.platform();
  const add = async (find: (name: string) => Promise<readonly FoundArtist[]>) => {
    const answers: BulkLine[] = [];
    for (let from = 0; from < lines.length; from += MAX_BULK_LINES) {
      const now = cli.clock.now();
      const parts: BulkWatchParts = {
        platform,
        find,
        artistAt: refuseShortLinks,
        namesDeadlineMs: Number.POSITIVE_INFINITY,
        watch: (artists) => watchMany(database, cli.config.intervalFactor(), { accountId, platform, artists, now }),
      };
      answers.push(...(await bulkWatch(parts, lines.slice(from, from + MAX_BULK_LINES))));
    }
    return answers;
  };
  const isName = ({ text: line }: Line) => parseArtistLine(line, platform).kind === 'name';
  if (!lines.some(isName)) return add(async () => []);
  return withPlatformClient(cli.config.platformAccess(), cli.clock, {}, (client) => {
    const search = artistSearch(client, searchAllowance(database), refuseShortLinks);
    return add((name) => search.find(name, { accountId, plan }, cli.clock.now()));
  });
}
