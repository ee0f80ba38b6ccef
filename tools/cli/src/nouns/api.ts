import { isNativeError } from 'node:util/types';
import { ArtistWatchClient, ArtistWatchError } from '@artist-watch/client';
import { connectionTrouble } from '@artist-watch/runtime/settings/start-failure';
import { type Command, Option } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { instant, limitOption } from '../option-values.js';
import { type Answer, list, one } from '../print.js';
import type { Shown } from '../text.js';

interface ApiOptions {
  readonly url?: string;
  readonly key?: string;
}

/** What a customer does with an API key and nothing else: no command here touches the record. */
export function apiCommands(program: Command, cli: Cli): void {
  const api = program.command('api').description('what an API key can see and do, asked of the API itself');

  function command<Options>(
    name: string,
    description: string,
    ask: (client: ArtistWatchClient, options: Options) => Promise<Answer>,
  ): Command {
    return api
      .command(name)
      .description(description)
      .addOption(new Option('--url <url>', '{base_url}, ends in /v1; API_URL unless given'))
      .addOption(new Option('--key <key>', 'aw_live_…; API_KEY unless given'))
      .action(
        act<Options & ApiOptions>(cli, async (options) => {
          const { url, key } = cli.config.api(options);
          try {
            return await ask(new ArtistWatchClient({ baseUrl: url, apiKey: key }), options);
          } catch (error) {
            throw explained(error, url);
          }
        }),
      );
  }

  command('artists', 'the watched artists, oldest watch first', async (client) =>
    list((await client.call('listArtists')).data.map(toShown)),
  );

  command<{ platformId?: string; artistUrl?: string }>('watch', 'follow an artist', async (client, options) =>
    one(toShown(await client.call('watchArtist', { body: artistOf(options) }))),
  )
    .option('--platform-id <id>', 'as the streaming platform calls it')
    .option('--artist-url <url>', 'or its address on the streaming platform');

  command<{ id: string }>('unwatch', 'follow an artist no longer', async (client, { id }) => {
    await client.call('unwatchArtist', { path: { id } });
    return one({ id, watched: false });
  }).requiredOption('--id <id>', 'art_…');

  command<{ since?: Date; limit?: number }>('changes', 'confirmed changes, newest first', async (client, options) => {
    const { since, limit = Number.POSITIVE_INFINITY } = options;
    const changes = client.changes({
      limit: Math.min(limit, PAGE_ITEMS),
      ...(since !== undefined && { since: since.toISOString() }),
    });
    return list(await begun(inBatches(changes, limit)));
  })
    .addOption(new Option('--since <instant>', '24 hours ago unless given').argParser(instant))
    .addOption(limitOption());

  command('usage', 'plan, limits and what is used of them', async (client) =>
    one(toShown(await client.call('readUsage'))),
  );

  command('tools', 'the daily allowance of tool calls', async (client) => one(toShown(await client.call('readTools'))));

  command<{ input: string }>('lookup', 'the ISRC of a track', async (client, { input }) =>
    one(toShown(await client.call('lookupTrack', { body: { input } }))),
  ).requiredOption('--input <address>', 'of a track on the streaming platform');

  command<{ isrc: string }>('reverse', 'the track of an ISRC', async (client, { isrc }) =>
    one(toShown(await client.call('reverseIsrc', { body: { isrc } }))),
  ).requiredOption('--isrc <isrc>', 'such as GBDUW0000059');
}

/** Items of one answer at the most (docs/reference/api.md). */
const PAGE_ITEMS = 200;

function toShown(item: object): Shown {
  return { ...item };
}

function artistOf({ platformId, artistUrl }: { readonly platformId?: string; readonly artistUrl?: string }) {
  if (platformId !== undefined && artistUrl === undefined) return { platform_id: platformId };
  if (artistUrl !== undefined && platformId === undefined) return { url: artistUrl };
  throw new UsageError('Say which artist, by either --platform-id or --artist-url.');
}

/** The first `limit` items, as many at once as an answer brings. */
async function* inBatches(items: AsyncIterable<object>, limit: number): AsyncGenerator<readonly Shown[]> {
  let batch: Shown[] = [];
  let left = limit;
  for await (const item of items) {
    batch.push(toShown(item));
    left -= 1;
    if (left === 0) break;
    if (batch.length < PAGE_ITEMS) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** With its first part at hand, so that a refusal comes before anything is printed. */
async function begun<Part>(parts: AsyncGenerator<Part>): Promise<AsyncGenerator<Part>> {
  const first = await parts.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* parts;
  })();
}

function explained(error: unknown, url: string): unknown {
  if (error instanceof ArtistWatchError) {
    const request = error.requestId === undefined ? '' : `, request ${error.requestId}`;
    return new UsageError(`${error.message} (${error.status} ${error.code}${request})`);
  }
  if (error instanceof UsageError || !isNativeError(error)) return error;
  const { message } = isNativeError(error.cause) ? error.cause : error;
  const reason = connectionTrouble(error) ?? message;
  return new UsageError(`The API at ${new URL(url).host} cannot be reached: ${reason}.`);
}
