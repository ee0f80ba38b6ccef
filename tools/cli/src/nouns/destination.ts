import { presentDestination } from '@artist-watch/contracts/api/destination';
import { headersSchema } from '@artist-watch/contracts/api/destination-input';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { DESTINATION_KINDS, type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import { isUsableSigningSecret } from '@artist-watch/domain/delivery/webhook-options';
import type { DestinationId } from '@artist-watch/domain/ids';
import { destinationCommands as commandsOf } from '@artist-watch/persistence/destination/commands';
import { readDestination, readDestinations } from '@artist-watch/persistence/destination/reads';
import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { addNoun } from '../noun.js';
import { listOf, oneOf, oneOfOr, optional, optionalOr, orNone, required, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { account, requireAccount } from './account.js';
import { destinationActions } from './destination-actions.js';

const changeTypes = listOf(/^[a-z][a-z0-9_]{0,63}$/, 'release_removed');
const artistIds = listOf(/^art_[0-9a-f]+$/, 'art_0123…');

/** Parses `any` as an empty list, because an empty rule allows everything. */
function orAny(parse: (text: string) => string[]): (text: string) => string[] {
  return (text) => (text === 'any' ? [] : parse(text));
}

const headers = optional(
  '<json>',
  'headers to add to each request, for example [{"name":"X-Api-Key","value":"…"}]; [] for none',
  (text) => {
    const parsed = headersSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`The value ${parsed.error.issues[0]?.message ?? 'is not a list of headers'}.`);
  },
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('The value is not JSON.');
  }
}

const standardWebhooks = oneOf('<on|off>', 'add the headers of Standard Webhooks; default: off', ['on', 'off']);

const name = optional('<name>', 'display name', textUpTo(100));

export function destinationCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'destination', 'webhooks, and Slack and Discord channels');
  const openDestinations = async () => commandsOf(await cli.database(), cli.secretBox, cli.config.allowCidrs());

  verb(
    'create',
    'create a destination, and show its secret; it is shown only once',
    {
      account,
      name,
      kind: oneOfOr('webhook', '<kind>', 'kind of the destination', DESTINATION_KINDS),
      url: required('<url>', 'URL of the receiver; for a channel, its incoming-webhook URL'),
      secret: optionalOr(
        'generate',
        '<secret>',
        '16 to 256 printable characters without a comma, or "generate", or "none" for unsigned webhooks',
      ),
      headers,
      standardWebhooks,
      minSeverity: oneOf('<severity>', 'only this severity or higher', SEVERITIES),
      types: optional('<types>', 'only these change types', changeTypes),
      artists: optional('<ids>', 'only changes to these artists', artistIds),
    },
    async ({ account: accountId, kind, url, minSeverity = null, types = [], artists = [], ...given }) => {
      const secret = parseSecret(given.secret, kind);
      const created = await (await openDestinations()).create({
        ...{ accountId, name: given.name, kind, url, secret, headers: given.headers, now: cli.clock.now() },
        standardWebhooks: given.standardWebhooks === 'on',
        rules: { minSeverity, changeTypes: types, artistIds: artists },
      });
      return one({ ...presentDestination(created), secret: created.secret });
    },
  );

  verb(
    'update',
    'change the given fields of a destination',
    {
      id: required<DestinationId>('<id>', 'dst_…'),
      name: orNone(name, 'remove the name'),
      url: optional('<url>', 'URL of the receiver'),
      headers,
      standardWebhooks,
      minSeverity: oneOf('<severity>', 'only this severity or higher', [...SEVERITIES, 'any']),
      types: optional('<types>', 'only these change types, or "any"', orAny(changeTypes)),
      artists: optional('<ids>', 'only changes to these artists, or "any"', orAny(artistIds)),
    },
    async ({
      id,
      name: newName,
      url,
      headers: newHeaders,
      standardWebhooks: standard,
      minSeverity,
      types,
      artists,
    }) => {
      const updated = await (await openDestinations()).update(
        { id },
        {
          name: newName === false ? null : newName,
          url,
          headers: newHeaders,
          ...(standard !== undefined && { standardWebhooks: standard === 'on' }),
          rules: {
            ...(minSeverity !== undefined && { minSeverity: minSeverity === 'any' ? null : minSeverity }),
            ...(types && { changeTypes: types }),
            ...(artists && { artistIds: artists }),
          },
        },
        cli.clock.now(),
      );
      return one(presentDestination(updated));
    },
  );

  verb('list', 'list the destinations of an account, newest first', { account }, async ({ account: accountId }) => {
    const database = await cli.database();
    await requireAccount(database, accountId);
    return list((await readDestinations(database, accountId)).map(presentDestination));
  });

  const id = required<DestinationId>('<id>', 'dst_…');
  verb('show', 'show a destination with its warnings and notifications', { id }, async (chosen) =>
    one(presentDestination(await readDestination((await cli.database()).pool, { id: chosen.id }))),
  );

  destinationActions(verb, cli);
}

/** @throws UsageError */
function parseSecret(wanted: string, kind: DestinationKind): string | null {
  if (wanted === 'none') return null;
  if (wanted === 'generate') return wanted;
  if (isChat(kind)) throw new UsageError('Slack and Discord destinations have no signing secret.');
  if (isUsableSigningSecret(wanted)) return wanted;
  throw new UsageError('A secret must have 16 to 256 printable ASCII characters and no comma.');
}
