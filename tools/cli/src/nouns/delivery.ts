import { presentDelivery, presentDeliveryDetail } from '@artist-watch/contracts/api/delivery';
import { deliveryCommands as storeCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { DELIVERY_STATES, type DeliveryState } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { type Command, Option } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { limitOption, pages } from '../pages.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

interface ListOptions {
  readonly account: AccountId;
  readonly destination?: DestinationId;
  readonly state?: DeliveryState;
  readonly limit?: number;
}

export function deliveryCommands(program: Command, cli: Cli): void {
  const delivery = program.command('delivery').description('changes on their way to destinations');

  delivery
    .command('list')
    .description('the deliveries of an account, newest first')
    .addOption(accountOption())
    .option('--destination <id>', 'only to this one')
    .addOption(new Option('--state <state>', 'only in this state').choices(DELIVERY_STATES))
    .addOption(limitOption())
    .action(
      act<ListOptions>(cli, async ({ account: accountId, destination: destinationId, state, limit }) => {
        const database = await cli.database();
        await requireAccount(database, accountId);
        const reads = deliveryReads(database);
        const filter = {
          accountId,
          ...(destinationId === undefined ? {} : { destinationId }),
          ...(state === undefined ? {} : { state }),
        };
        return list(
          pages<DeliveryRecord>(limit, presentDelivery, (last, pageLimit) =>
            reads.list({ ...filter, ...(last === undefined ? {} : { beforeId: last.id }), limit: pageLimit }),
          ),
        );
      }),
    );

  delivery
    .command('show')
    .description('one delivery, with every attempt')
    .requiredOption('--id <id>', 'dlv_…')
    .action(
      act<{ id: DeliveryId }>(cli, async ({ id }) =>
        one(presentDeliveryDetail(await deliveryReads(await cli.database()).show({ id }))),
      ),
    );

  delivery
    .command('resend')
    .description('send a settled delivery once more')
    .requiredOption('--id <id>', 'dlv_…')
    .action(
      act<{ id: DeliveryId }>(cli, async ({ id }) =>
        one(presentDelivery(await storeCommands(await cli.database()).resend({ id }, cli.clock.now()))),
      ),
    );
}
