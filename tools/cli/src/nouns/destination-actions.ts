import { presentDelivery, presentRecovered, presentRecoveryPreview } from '@artist-watch/contracts/api/delivery';
import { presentDestination } from '@artist-watch/contracts/api/destination';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads } from '@artist-watch/delivery/store/reads';
import { CHANGE_TYPES, type DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { resealSecrets } from '@artist-watch/persistence/secret-box';
import { newId } from '@artist-watch/runtime/ids';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import type { AddVerb } from '../noun.js';
import { flag, instant, oneOf, optional, required } from '../option-values.js';
import { type Answer, one } from '../print.js';

const id = required<DestinationId>('<id>', 'dst_…');

export function destinationActions(verb: AddVerb, cli: Cli): void {
  const openDestinations = async () => destinationCommands(await cli.database(), cli.secretBox);
  const onOne = (name: string, description: string, run: (id: DestinationId, now: Date) => Promise<Answer>) =>
    verb(name, description, { id }, (chosen) => run(chosen.id, cli.clock.now()));

  onOne('enable', 'switch a destination on; "recover" sends missed changes', async (id, now) =>
    one(presentDestination(await (await openDestinations()).enable({ id }, now))),
  );

  onOne('disable', 'switch a destination off; pending deliveries are skipped', async (id, now) =>
    one(presentDestination(await (await openDestinations()).disable({ id }, now))),
  );

  verb(
    'test',
    'send a sample change once, even to a switched-off destination',
    { id, type: oneOf('<type>', 'type of the sample change', Object.keys(CHANGE_TYPES) as DetectedChangeType[]) },
    async ({ id, type: changeType }) => {
      const now = cli.clock.now();
      const commands = deliveryCommands(await cli.database());
      const test = { deliveryId: newId('dlv', now), changeId: newId('chg', now), changeType, now };
      return one(presentDelivery(await commands.test({ id }, test)));
    },
  );

  verb(
    'recover',
    'resend all deliveries that were missed in a period',
    {
      id,
      since: required('<instant>', 'RFC 3339, such as 2026-05-01T12:00:00Z', instant),
      until: optional('<instant>', 'only deliveries created before this time', instant),
      cursor: optional<DeliveryId>('<id>', 'next_cursor from the previous output'),
      dryRun: flag('send nothing; show the number of matching deliveries, and the first and last of them'),
    },
    async ({ id, since, until, cursor, dryRun }) => {
      if (until && until <= since) throw new UsageError('--until must be after --since.');
      const database = await cli.database();
      if (dryRun) {
        return one(presentRecoveryPreview(await deliveryReads(database).previewRecovery({ id }, { since, until })));
      }
      const request = { since, until, after: cursor, now: cli.clock.now() };
      return one(presentRecovered(await deliveryCommands(database).recover({ id }, request)));
    },
  );

  verb(
    'rotate-secret',
    'create and show the next secret, so that the receiver can accept both secrets',
    { id, replace: flag('replace an existing next secret') },
    async ({ id, replace = false }) => {
      const rotated = await (await openDestinations()).rotate({ id }, { replace, now: cli.clock.now() });
      return one({ ...presentDestination(rotated), next_secret: rotated.nextSecret });
    },
  );

  onOne('activate-secret', 'make the next secret the current one', async (id, now) =>
    one(presentDestination(await (await openDestinations()).activate({ id }, now))),
  );

  const resealing = 're-encrypt with ENCRYPTION_KEY all secrets that still use a key in ENCRYPTION_KEYS_RETIRED';
  verb('reseal-secrets', resealing, {}, async () =>
    one({ resealed: await resealSecrets(await cli.database(), cli.secretBox) }),
  );

  onOne('delete', 'delete a destination and its secrets', async (id, now) => {
    await (await openDestinations()).delete({ id }, now);
    return one({ id, deleted: true });
  });
}
