import { randomBytes } from 'node:crypto';
import type { Cidr } from '@artist-watch/address-policy/ip-address';
import { judgeDestination } from '@artist-watch/address-policy/judge-destination';
import { createSystemResolver } from '@artist-watch/address-policy/system-resolver';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import {
  isDetectedChangeType,
  nearestChangeType,
  SEVERITIES,
  type Severity,
} from '@artist-watch/domain/change/change-types';
import { DESTINATION_KINDS, type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import {
  isUsableSigningSecret,
  makeSigningSecret,
  SIGNING_SECRET_RANDOM_BYTES,
} from '@artist-watch/domain/delivery/signing-secret';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { destinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { nounOf } from '../noun.js';
import { listOf, optional, required, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';
import { destinationActions } from './destination-actions.js';

interface UpdateOptions {
  readonly id: DestinationId;
  /** False for `--no-name`. */
  readonly name?: string | false;
  readonly url?: string;
  readonly minSeverity?: Severity | 'any';
  readonly types?: string[];
  readonly artists?: string[];
}

interface CreateOptions {
  readonly account: AccountId;
  readonly name?: string;
  readonly kind: DestinationKind;
  readonly url: string;
  readonly secret: string;
  readonly minSeverity?: Severity;
  readonly types?: string[];
  readonly artists?: string[];
}

const changeTypes = listOf(/^[a-z][a-z0-9_]{0,63}$/, 'release_removed');
const artistIds = listOf(/^art_[0-9a-f]+$/, 'art_0123…');

/** `any` for an empty rule, which lets everything through. */
function orAny(parse: (text: string) => string[]): (text: string) => string[] {
  return (text) => (text === 'any' ? [] : parse(text));
}

/** @throws UsageError */
function requireKnownTypes(types: readonly string[] = []): void {
  const unknown = types.find((type) => !isDetectedChangeType(type));
  if (unknown === undefined) return;
  throw new UsageError(`"${unknown}" is not a known change type; the nearest is ${nearestChangeType(unknown)}.`);
}

export function destinationCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'destination', 'webhook addresses, and channels of Slack and Discord');

  verb('create', 'make a destination; its secret is shown this once', [
    accountOption(),
    optional('--name <name>', 'what people call it', textUpTo(100)),
    new Option('--kind <kind>', 'what the address is').choices(DESTINATION_KINDS).default('webhook'),
    required('--url <url>', 'where changes are sent; of a channel its incoming-webhook address'),
    optional(
      '--secret <secret>',
      '16 to 256 printable characters without a comma, or "generate", or "none" for unsigned',
    ).default('generate'),
    new Option('--min-severity <severity>', 'let through this severity or higher').choices(SEVERITIES),
    optional('--types <types>', 'let through these types', changeTypes),
    optional('--artists <ids>', 'let through changes of these artists', artistIds),
  ]).run(
    async ({ account: accountId, name, kind, url, secret: wanted, minSeverity, types, artists }: CreateOptions) => {
      const secret = secretFrom(wanted, kind);
      requireKnownTypes(types);
      await requireAllowedAddress(url, kind, cli.config.allowCidrs());
      const destinations = destinationStore(await cli.database(), cli.secretBox);
      const now = cli.clock.now();
      const created = await destinations.create({
        id: newId('dst', now),
        accountId,
        ...(name !== undefined && { name }),
        kind,
        url,
        secret,
        rules: { minSeverity: minSeverity ?? null, changeTypes: types ?? [], artistIds: artists ?? [] },
        now,
      });
      return one({ ...presentDestination(created), secret });
    },
  );

  verb('update', 'change what is given; the rest stays', [
    required('--id <id>', 'dst_…'),
    optional('--name <name>', 'what people call it', textUpTo(100)),
    optional('--no-name', 'take its name away'),
    optional('--url <url>', 'where changes are sent'),
    new Option('--min-severity <severity>', 'let through this severity or higher').choices([...SEVERITIES, 'any']),
    optional('--types <types>', 'let through these types, or "any"', orAny(changeTypes)),
    optional('--artists <ids>', 'let through changes of these artists, or "any"', orAny(artistIds)),
  ]).run(async ({ id, name, url, minSeverity, types, artists }: UpdateOptions) => {
    requireKnownTypes(types);
    const destinations = destinationStore(await cli.database(), cli.secretBox);
    if (url !== undefined) {
      const { kind } = await destinations.show({ id });
      await requireAllowedAddress(url, kind, cli.config.allowCidrs());
    }
    const updated = await destinations.update(
      { id },
      {
        // Commander gives true for a name of which nothing was said.
        ...(typeof name !== 'boolean' && name !== undefined && { name }),
        ...(name === false && { name: null }),
        ...(url !== undefined && { url }),
        rules: {
          ...(minSeverity !== undefined && { minSeverity: minSeverity === 'any' ? null : minSeverity }),
          ...(types && { changeTypes: types }),
          ...(artists && { artistIds: artists }),
        },
      },
      cli.clock.now(),
    );
    return one(presentDestination(updated));
  });

  verb('list', 'the destinations of an account, newest first', [accountOption()]).run(
    async ({ account }: { account: AccountId }) => {
      const database = await cli.database();
      await requireAccount(database, account);
      return list((await destinationStore(database, cli.secretBox).list(account)).map(presentDestination));
    },
  );

  verb('show', 'one destination, with its warnings and notices', [required('--id <id>', 'dst_…')]).run(
    async ({ id }: { id: DestinationId }) => {
      const shown = await destinationStore(await cli.database(), cli.secretBox).show({ id });
      return one(presentDestination(shown));
    },
  );

  destinationActions(verb, cli);
}

function secretFrom(wanted: string, kind: DestinationKind): string | null {
  if (isChat(kind)) {
    if (wanted === 'generate' || wanted === 'none') return null;
    throw new UsageError('Slack and Discord destinations have no signing secret.');
  }
  if (wanted === 'none') return null;
  if (wanted === 'generate') return makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));
  if (isUsableSigningSecret(wanted)) return wanted;
  throw new UsageError('A secret has 16 to 256 printable ASCII characters, none of them a comma.');
}

const LOOKUP_TIMEOUT_MS = 3_000;

/** @throws UsageError when the egress would not send there; a name that does not resolve yet is accepted. */
export async function requireAllowedAddress(
  url: string,
  kind: DestinationKind,
  allowCidrs: readonly Cidr[],
): Promise<void> {
  const resolve = createSystemResolver({ timeoutMs: LOOKUP_TIMEOUT_MS });
  const judgement = await judgeDestination(url, { kind, resolve, allowCidrs });
  if (!judgement.ok) throw new UsageError(judgement.message);
}
