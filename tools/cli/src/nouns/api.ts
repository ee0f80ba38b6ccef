import { isNativeError } from 'node:util/types';
import { ArtistWatchClient, ArtistWatchError } from '@artist-watch/client';
import { connectionProblem } from '@artist-watch/runtime/settings/start-failure';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { addNoun, type ValuesOf, type VerbOptions } from '../noun.js';
import { instant, limit, optional, required } from '../option-values.js';
import { type Answer, list, one } from '../print.js';
import type { Shown } from '../text.js';

const CONNECTION = {
  url: optional('<url>', 'base URL, ending in /v1; default: API_URL'),
  key: optional('<key>', 'aw_live_…; default: API_KEY'),
};

/** These commands only use the API, never the database. */
export function apiCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'api', "send API requests with a customer's API key");
  const addRequest = <Options extends VerbOptions>(
    name: string,
    description: string,
    options: Options,
    request: (client: ArtistWatchClient, values: ValuesOf<Options>) => Promise<Answer>,
  ) =>
    verb(name, description, { ...CONNECTION, ...options }, async (given) => {
      const { url, key } = cli.config.api(given as ValuesOf<typeof CONNECTION>);
      try {
        return await request(new ArtistWatchClient({ baseUrl: url, apiKey: key }), given as ValuesOf<Options>);
      } catch (error) {
        throw toUsageError(error, url);
      }
    });

  addRequest('artists', 'list the watched artists, longest watched first', {}, async (client) =>
    list((await client.call('listArtists')).data.map(toShown)),
  );

  addRequest(
    'watch',
    'watch an artist',
    {
      platformId: optional('<id>', 'id on the streaming platform'),
      artistUrl: optional('<url>', 'URL on the streaming platform, instead of an id'),
    },
    async (client, options) => one(toShown(await client.call('watchArtist', { body: toArtistBody(options) }))),
  );

  addRequest('unwatch', 'stop watching an artist', { id: required('<id>', 'art_…') }, async (client, { id }) => {
    await client.call('unwatchArtist', { path: { id } });
    return one({ id, watched: false });
  });

  addRequest(
    'changes',
    'list confirmed changes, newest first',
    { since: optional('<instant>', 'RFC 3339; default: 24 hours ago', instant), limit },
    async (client, { since, limit: max = Number.POSITIVE_INFINITY }) => {
      const changes = client.changes({
        limit: Math.min(max, PAGE_ITEMS),
        ...(since !== undefined && { since: since.toISOString() }),
      });
      return list(await startEagerly(inBatches(changes, max)));
    },
  );

  addRequest('usage', 'show plan, limits and usage', {}, async (client) =>
    one(toShown(await client.call('readUsage'))),
  );

  addRequest('tools', 'show the daily allowance of tool calls', {}, async (client) =>
    one(toShown(await client.call('readTools'))),
  );

  const input = required('<url>', 'URL of a track on the streaming platform');
  addRequest('lookup', 'find the ISRC of a track', { input }, async (client, body) =>
    one(toShown(await client.call('lookupTrack', { body: { input: body.input } }))),
  );

  const isrc = required('<isrc>', 'ISRC, such as GBDUW0000059');
  addRequest('reverse', 'find a track by its ISRC', { isrc }, async (client, body) =>
    one(toShown(await client.call('reverseIsrc', { body: { isrc: body.isrc } }))),
  );
}

/** The most items that the API returns at once (docs/api/requests.md). */
const PAGE_ITEMS = 200;

function toShown(item: object): Shown {
  return { ...item };
}

function toArtistBody({
  platformId,
  artistUrl,
}: {
  readonly platformId: string | undefined;
  readonly artistUrl: string | undefined;
}) {
  if (platformId !== undefined && artistUrl === undefined) return { platform_id: platformId };
  if (artistUrl !== undefined && platformId === undefined) return { url: artistUrl };
  throw new UsageError('Name the artist with either --platform-id or --artist-url.');
}

async function* inBatches(items: AsyncIterable<object>, max: number): AsyncGenerator<readonly Shown[]> {
  let batch: Shown[] = [];
  let left = max;
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

/** Reads the first part right away, so that an error is reported before anything is printed. */
async function startEagerly<Part>(parts: AsyncGenerator<Part>): Promise<AsyncGenerator<Part>> {
  const first = await parts.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* parts;
  })();
}

function toUsageError(error: unknown, url: string): unknown {
  if (error instanceof ArtistWatchError) {
    const request = error.requestId === undefined ? '' : `, request ${error.requestId}`;
    return new UsageError(`${error.message} (${error.status} ${error.code}${request})`);
  }
  if (error instanceof UsageError || !isNativeError(error)) return error;
  const { message } = isNativeError(error.cause) ? error.cause : error;
  const reason = connectionProblem(error) ?? message;
  return new UsageError(`The API at ${new URL(url).host} cannot be reached: ${reason}.`);
}
