import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { FoundArtist } from '@artist-watch/catalogue/port';
import { type BulkLine, MAX_BULK_LINES } from '@artist-watch/contracts/api/artist-search';
import { parseArtistLine } from '@artist-watch/domain/platform/artist-line';
import { searchAllowance } from '@artist-watch/persistence/account/daily-allowance';
import type { AccountRecord } from '@artist-watch/persistence/account/store';
import { watchMany } from '@artist-watch/persistence/account/watch-many';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import { csvLines, type Line, plainLines } from '@artist-watch/track-lookup/artist/artist-lines';
import { artistSearch } from '@artist-watch/track-lookup/artist/artist-search';
import { type BulkWatchParts, bulkWatch } from '@artist-watch/track-lookup/artist/bulk-watch';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { withPlatformClient } from '../platform/with-platform-client.js';

/** @throws UsageError */
export async function readArtistLines(file: string): Promise<Line[]> {
  try {
    const said = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    return /\.csv$/i.test(file) ? csvLines(said) : plainLines(said.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/**
 * Watches the artists of any number of lines, as many at a time as the API takes. Names cost the account's searches of the
 * day, and are looked up for as long as it takes; without a name the platform is not asked.
 *
 * @returns what became of each line.
 */
export async function addArtists(cli: Cli, account: AccountRecord, lines: readonly Line[]): Promise<BulkLine[]> {
  const { id: accountId, plan } = account;
  const database = await cli.database();
  const platform = cli.config.platform();
  const add = async (find: (name: string) => Promise<readonly FoundArtist[]>) => {
    const answers: BulkLine[] = [];
    for (let from = 0; from < lines.length; from += MAX_BULK_LINES) {
      const now = cli.clock.now();
      const parts: BulkWatchParts = {
        ...{ platform, find },
        monotonicMs: () => performance.now(),
        namesDeadlineMs: Number.POSITIVE_INFINITY,
        watch: (artists) => watchMany(database, cli.config.intervalFactor(), { accountId, platform, artists, now }),
        newIds: () => ({ watchId: newId('wat', now), artistId: newArtistId() }),
      };
      answers.push(...(await bulkWatch(parts, lines.slice(from, from + MAX_BULK_LINES))));
    }
    return answers;
  };
  const isName = ({ text: line }: Line) => parseArtistLine(line, platform).kind === 'name';
  if (!lines.some(isName)) return add(async () => []);
  return withPlatformClient(cli.config.asking(), cli.clock, {}, (client) => {
    const search = artistSearch(client, searchAllowance(database));
    return add((name) => search.find(name, { accountId, plan }, cli.clock.now()));
  });
}
