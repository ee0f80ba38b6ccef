import { randomBytes } from 'node:crypto';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import {
  isDetectedChangeType,
  nearestChangeType,
  SEVERITIES,
  type Severity,
} from '@artist-watch/domain/change/change-types';
import {
  isUsableSigningSecret,
  makeSigningSecret,
  SIGNING_SECRET_RANDOM_BYTES,
} from '@artist-watch/domain/delivery/signing-secret';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import { destinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
import { type Command, Option } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { requireAllowedAddress } from '../destination-address.js';
import { UsageError } from '../failure.js';
import { listOf } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';
import { destinationActions } from './destination-actions.js';

interface CreateOptions {
  readonly account: AccountId;
  readonly url: string;
  readonly secret: string;
  readonly minSeverity?: Severity;
  readonly types?: string[];
  readonly artists?: string[];
}

/** @throws UsageError */
function requireKnownTypes(types: readonly string[] = []): void {
  const unknown = types.find((type) => !isDetectedChangeType(type));
  if (unknown === undefined) return;
  throw new UsageError(`"${unknown}" is not a known change type; the nearest is ${nearestChangeType(unknown)}.`);
}

export function destinationCommands(program: Command, cli: Cli): void {
  const destination = program.command('destination').description('webhook addresses');

  destination
    .command('create')
    .description('make a destination; its secret is shown this once')
    .addOption(accountOption())
    .requiredOption('--url <url>', 'where changes are sent')
    .option(
      '--secret <secret>',
      '16 to 256 printable characters without a comma, or "generate", or "none" for unsigned',
      'generate',
    )
    .addOption(new Option('--min-severity <severity>', 'let through what is at least so grave').choices(SEVERITIES))
    .option('--types <types>', 'let through these types', listOf(/^[a-z][a-z0-9_]{0,63}$/, 'release_removed'))
    .option('--artists <ids>', 'let through changes of these artists', listOf(/^art_[0-9a-f]+$/, 'art_0123…'))
    .action(
      act<CreateOptions>(cli, async ({ account: accountId, url, secret: wanted, minSeverity, types, artists }) => {
        const secret = secretFrom(wanted);
        requireKnownTypes(types);
        await requireAllowedAddress(url, cli.config.allowCidrs());
        const destinations = destinationStore(await cli.database(), cli.secretBox);
        const now = cli.clock.now();
        const created = await destinations.create({
          id: newId('dst', now),
          accountId,
          url,
          secret,
          rules: { minSeverity: minSeverity ?? null, changeTypes: types ?? [], artistIds: artists ?? [] },
          now,
        });
        return one({ ...presentDestination(created), secret });
      }),
    );

  destination
    .command('list')
    .description('the destinations of an account, newest first')
    .addOption(accountOption())
    .action(
      act<{ account: AccountId }>(cli, async ({ account }) => {
        const database = await cli.database();
        await requireAccount(database, account);
        return list((await destinationStore(database, cli.secretBox).list(account)).map(presentDestination));
      }),
    );

  destination
    .command('show')
    .description('one destination, with its warnings and notices')
    .requiredOption('--id <id>', 'dst_…')
    .action(
      act<{ id: DestinationId }>(cli, async ({ id }) => {
        const shown = await destinationStore(await cli.database(), cli.secretBox).show({ id });
        return one(presentDestination(shown));
      }),
    );

  destinationActions(destination, cli);
}

function secretFrom(wanted: string): string | null {
  if (wanted === 'none') return null;
  if (wanted === 'generate') return makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));
  if (isUsableSigningSecret(wanted)) return wanted;
  throw new UsageError('A secret has 16 to 256 printable ASCII characters, none of them a comma.');
}
