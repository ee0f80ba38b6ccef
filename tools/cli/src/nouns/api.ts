import { isNativeError } from 'node:util/types';
import { ArtistWatchClient, ArtistWatchError } from '@artist-watch/client';
import { connectionTrouble } from '@artist-watch/runtime/settings/start-failure';
import type { Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { nounOf } from '../noun.js';
import { instant, limitOption, optional, required } from '../option-values.js';
import { type Answer, list, one } from '../print.js';
import type { Shown } from '../text.js';

interface ApiOptions {
  readonly url?: string;
  readonly key?: string;
}

/** What a customer does with an API key and nothing else: no command here touches the record. */
export function apiCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'api', 'what an API key can see and do, asked of the API itself');
  const ask = (name: string, description: string, options: readonly Option[] = []) => ({
    by<Options>(request: (client: ArtistWatchClient, options: Options) => Promise<Answer>) {
      verb(name, description, [
        optional('--url <url>', '{base_url}, ends in /v1; API_URL unless given'),
        optional('--key <key>', 'aw_live_…; API_KEY unless given'),
        ...options,
      ]).run(async (given: Options & ApiOptions) => {
        const { url, key } = cli.config.api(given);
        try {
          return await request(new ArtistWatchClient({ baseUrl: url, apiKey: key }), given);
        } catch (error) {
          throw explained(error, url);
        }
      });
    },
  });

  ask('artists', 'the watched artists, oldest watch first').by(async (client) =>
    list((await client.call('listArtists')).data.map(toShown)),
  );

  ask('watch', 'follow an artist', [
    optional('--platform-id <id>', 'as the streaming platform calls it'),
    optional('--artist-url <url>', 'or its address on the streaming platform'),
  ]).by(async (client, options: { platformId?: string; artistUrl?: string }) =>
    one(toShown(await client.call('watchArtist', { body: artistOf(options) }))),
  );

  ask('unwatch', 'follow an artist no longer', [required('--id <id>', 'art_…')]).by(
    async (client, { id }: { id: string }) => {
      await client.call('unwatchArtist', { path: { id } });
      return one({ id, watched: false });
    },
  );

  ask('changes', 'confirmed changes, newest first', [
    optional('--since <instant>', '24 hours ago unless given', instant),
    limitOption(),
  ]).by(async (client, { since, limit = Number.POSITIVE_INFINITY }: { since?: Date; limit?: number }) => {
    const changes = client.changes({
      limit: Math.min(limit, PAGE_ITEMS),
      ...(since !== undefined && { since: since.toISOString() }),
    });
    return list(await begun(inBatches(changes, limit)));
  });

  ask('usage', 'plan, limits and what is used of them').by(async (client) =>
    one(toShown(await client.call('readUsage'))),
  );

  ask('tools', 'the daily allowance of tool calls').by(async (client) => one(toShown(await client.call('readTools'))));

  ask('lookup', 'the ISRC of a track', [required('--input <address>', 'of a track on the streaming platform')]).by(
    async (client, { input }: { input: string }) => one(toShown(await client.call('lookupTrack', { body: { input } }))),
  );

  ask('reverse', 'the track of an ISRC', [required('--isrc <isrc>', 'such as GBDUW0000059')]).by(
    async (client, { isrc }: { isrc: string }) => one(toShown(await client.call('reverseIsrc', { body: { isrc } }))),
  );
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
