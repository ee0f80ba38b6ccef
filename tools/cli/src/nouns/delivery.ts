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
import type { Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { nounOf } from '../noun.js';
import { instant, limitOption, optional, pages, required } from '../option-values.js';
import { list, one } from '../print.js';
import { accountOption, requireAccount } from './account.js';

interface FilterOptions extends Omit<DeliveryFilter, 'destinationId' | 'changeId'> {
  readonly account: AccountId;
  readonly destination?: DestinationId;
  readonly change?: ChangeId;
}

export function deliveryCommands(program: Command, cli: Cli): void {
  const verb = nounOf(program, cli, 'delivery', 'changes on their way to destinations');

  verb('list', 'the deliveries of an account, newest first', [
    ...filters(DELIVERY_STATES),
    optional('--since <instant>', 'only what was made then or later', instant),
    limitOption(),
  ]).run(async ({ limit, ...options }: FilterOptions & { limit?: number }) => {
    const database = await cli.database();
    await requireAccount(database, options.account);
    const reads = deliveryReads(database);
    const request = { accountId: options.account, ...filterOf(options) };
    return list(
      pages<DeliveryRecord>(limit, presentDelivery, (last, pageLimit) =>
        reads.list({ ...request, beforeId: last?.id, limit: pageLimit }),
      ),
    );
  });

  verb('recover', 'send what was missed and matches once more', [
    ...filters(['failed', 'skipped']),
    required('--since <instant>', 'only what was made then or later', instant),
    optional('--dry-run', 'send nothing; show how many, the first and the last'),
  ]).run(async ({ dryRun, ...options }: FilterOptions & { dryRun?: boolean }) => {
    const database = await cli.database();
    await requireAccount(database, options.account);
    const filter = filterOf(options);
    if (dryRun) {
      const preview = await deliveryReads(database).previewRecoveryOf(options.account, filter);
      return one(presentMatchingRecoveryPreview(preview));
    }
    const commands = storeCommands(database);
    return one({ recovered: await commands.recoverMatching(options.account, { filter, now: cli.clock.now() }) });
  });

  verb('show', 'one delivery, with every attempt', [required('--id <id>', 'dlv_…')]).run(
    async ({ id }: { id: DeliveryId }) =>
      one(presentDeliveryDetail(await deliveryReads(await cli.database()).show({ id }))),
  );

  verb('resend', 'send a settled delivery once more', [required('--id <id>', 'dlv_…')]).run(
    async ({ id }: { id: DeliveryId }) =>
      one(presentDelivery(await storeCommands(await cli.database()).resend({ id }, cli.clock.now()))),
  );
}

/** The options that narrow, but for `--since`. */
function filters(states: readonly DeliveryState[]): Option[] {
  return [
    accountOption(),
    optional('--destination <id>', 'only to this one'),
    optional('--change <id>', 'only of this one'),
    optional('--state <state>', 'only in this state').choices(states),
    optional('--trigger <trigger>', 'only what was set going so').choices(Object.keys(TRIGGERS)),
    optional('--error <error>', 'only what failed so').choices(ATTEMPT_ERRORS),
    optional('--status-class <class>', 'only what was answered so').choices(STATUS_CLASSES),
    optional('--blame <blame>', 'only what is its fault').choices(['receiver', 'policy']),
    optional('--until <instant>', 'only what was made before it', instant),
  ];
}

function filterOf({ destination, change, state, trigger, error, statusClass, blame, since, until }: FilterOptions) {
  return { destinationId: destination, changeId: change, state, trigger, error, statusClass, blame, since, until };
}
