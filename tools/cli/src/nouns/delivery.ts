import {
  presentDelivery,
  presentDeliveryDetail,
  presentMatchingRecoveryPreview,
  presentRecovered,
} from '@artist-watch/contracts/api/delivery';
import { deliveryCommands as storeCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { ATTEMPT_ERRORS } from '@artist-watch/domain/delivery/attempt-errors';
import {
  DELIVERY_STATES,
  type DeliveryState,
  STATUS_CLASSES,
  TRIGGERS,
  type Trigger,
} from '@artist-watch/domain/delivery/delivery-state';
import type { ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun, type ValuesOf } from '../noun.js';
import { flag, instant, limit, oneOf, optional, pages, required } from '../option-values.js';
import { list, one } from '../print.js';
import { account, requireAccount } from './account.js';

const filters = (states: readonly DeliveryState[]) => ({
  account,
  destination: optional<DestinationId>('<id>', 'only deliveries to this destination'),
  change: optional<ChangeId>('<id>', 'only deliveries of this change'),
  state: oneOf('<state>', 'only deliveries in this state', states),
  trigger: oneOf('<trigger>', 'only deliveries with this trigger', Object.keys(TRIGGERS) as Trigger[]),
  error: oneOf('<error>', 'only deliveries with this error', ATTEMPT_ERRORS),
  statusClass: oneOf('<class>', 'only deliveries with a response status in this class', STATUS_CLASSES),
  blame: oneOf('<blame>', 'only deliveries with this blame', ['receiver', 'policy']),
  until: optional('<instant>', 'only deliveries created before this time', instant),
});

const id = required<DeliveryId>('<id>', 'dlv_…');
const SINCE = ['<instant>', 'only deliveries created at this time or later', instant] as const;

export function deliveryCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'delivery', 'deliveries to destinations');

  verb(
    'list',
    'list the deliveries of an account, newest first',
    { ...filters(DELIVERY_STATES), since: optional(...SINCE), limit },
    async ({ limit: max, ...options }) => {
      const database = await cli.database();
      await requireAccount(database, options.account);
      const reads = deliveryReads(database);
      const request = { accountId: options.account, ...toFilter(options) };
      return list(
        pages<DeliveryRecord>(max, presentDelivery, (last, pageLimit) =>
          reads.list({ ...request, beforeId: last?.id, limit: pageLimit }),
        ),
      );
    },
  );

  verb(
    'recover',
    'resend missed deliveries that match the options',
    {
      ...filters(['failed', 'skipped']),
      since: required(...SINCE),
      cursor: optional<DeliveryId>('<id>', 'next_cursor from the previous output'),
      dryRun: flag('send nothing; show the number of matching deliveries, and the first and last of them'),
    },
    async ({ dryRun, cursor, ...options }) => {
      const database = await cli.database();
      await requireAccount(database, options.account);
      const filter = toFilter(options);
      if (dryRun) {
        const preview = await deliveryReads(database).previewMatchingRecovery(options.account, filter);
        return one(presentMatchingRecoveryPreview(preview));
      }
      const commands = storeCommands(database);
      const request = { filter, after: cursor, now: cli.clock.now() };
      return one(presentRecovered(await commands.recoverMatching(options.account, request)));
    },
  );

  verb('show', 'show a delivery with all its attempts', { id }, async (chosen) =>
    one(presentDeliveryDetail(await deliveryReads(await cli.database()).show({ id: chosen.id }))),
  );

  verb('resend', 'resend a settled delivery', { id }, async (chosen) =>
    one(presentDelivery(await storeCommands(await cli.database()).resend({ id: chosen.id }, cli.clock.now()))),
  );
}

type Filters = ValuesOf<ReturnType<typeof filters>> & { readonly since: Date | undefined };

function toFilter({ destination, change, state, trigger, error, statusClass, blame, since, until }: Filters) {
  return { destinationId: destination, changeId: change, state, trigger, error, statusClass, blame, since, until };
}
