import {
  presentDelivery,
  presentDeliveryDetail,
  presentMatchingRecoveryPreview,
} from '@artist-watch/contracts/api/delivery';
import { deliveryCommands as storeCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { ATTEMPT_ERRORS } from '@artist-watch/domain/delivery/attempt-errors';
import { type DeliveryFilter, STATUS_CLASSES } from '@artist-watch/domain/delivery/delivery-filter';
import { DELIVERY_STATES, type DeliveryState, TRIGGERS } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { type Command, Option } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { instant, limitOption, pages } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

interface FilterOptions extends Omit<DeliveryFilter, 'destinationId' | 'changeId'> {
  readonly account: AccountId;
  readonly destination?: DestinationId;
  readonly change?: ChangeId;
}

export function deliveryCommands(program: Command, cli: Cli): void {
  const delivery = program.command('delivery').description('changes on their way to destinations');

  filtered(delivery.command('list').description('the deliveries of an account, newest first'), DELIVERY_STATES)
    .option('--since <instant>', 'only what was made then or later', instant)
    .addOption(limitOption())
    .action(
      act<FilterOptions & { limit?: number }>(cli, async ({ limit, ...options }) => {
        const database = await cli.database();
        await requireAccount(database, options.account);
        const reads = deliveryReads(database);
        const request = { accountId: options.account, ...filterOf(options) };
        return list(
          pages<DeliveryRecord>(limit, presentDelivery, (last, pageLimit) =>
            reads.list({ ...request, beforeId: last?.id, limit: pageLimit }),
          ),
        );
      }),
    );

  filtered(delivery.command('recover').description('send what was missed and matches once more'), ['failed', 'skipped'])
    .requiredOption('--since <instant>', 'only what was made then or later', instant)
    .option('--dry-run', 'send nothing; show how many, the first and the last')
    .action(
      act<FilterOptions & { dryRun?: boolean }>(cli, async ({ dryRun, ...options }) => {
        const database = await cli.database();
        await requireAccount(database, options.account);
        const filter = filterOf(options);
        if (dryRun) {
          const preview = await deliveryReads(database).previewRecoveryOf(options.account, filter);
          return one(presentMatchingRecoveryPreview(preview));
        }
        const commands = storeCommands(database);
        return one({ recovered: await commands.recoverMatching(options.account, { filter, now: cli.clock.now() }) });
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

/** The options that narrow, but for `--since`. */
function filtered(command: Command, states: readonly DeliveryState[]): Command {
  return command
    .addOption(accountOption())
    .option('--destination <id>', 'only to this one')
    .option('--change <id>', 'only of this one')
    .addOption(new Option('--state <state>', 'only in this state').choices(states))
    .addOption(new Option('--trigger <trigger>', 'only what was set going so').choices(Object.keys(TRIGGERS)))
    .addOption(new Option('--error <error>', 'only what failed so').choices(ATTEMPT_ERRORS))
    .addOption(new Option('--status-class <class>', 'only what was answered so').choices(STATUS_CLASSES))
    .addOption(new Option('--blame <blame>', 'only what is its fault').choices(['receiver', 'policy']))
    .option('--until <instant>', 'only what was made before it', instant);
}

function filterOf({ destination, change, state, trigger, error, statusClass, blame, since, until }: FilterOptions) {
  return { destinationId: destination, changeId: change, state, trigger, error, statusClass, blame, since, until };
}
