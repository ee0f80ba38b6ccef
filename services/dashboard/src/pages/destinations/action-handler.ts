import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads, whenAttempted } from '@artist-watch/delivery/store/reads';
import { isDetectedChangeType } from '@artist-watch/domain/change/change-types';
import { readDestination } from '@artist-watch/persistence/destination/reads';
import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import { destinationStore } from '@artist-watch/persistence/destination/store';
import { destinationSwitch } from '@artist-watch/persistence/destination/switch';
import { newId } from '@artist-watch/runtime/ids';
import { type Page, type Reply, redirect, type Visit } from '../../application/page.js';
import { type DestinationsParts, type FormProblem, referenceOf } from './destinations-parts.js';

/** Longer than most receivers take; whoever waits longer looks again. */
const TEST_WAIT_MS = 3_000;

/** Longer than a delivery is tried for: 8 h 36 m (docs/reference/webhooks.md). */
const ROUND_MS = 9 * 3_600_000;

/** What is done to a destination. Each says what should be, so that a repeat is harmless. */
export function actionPages(
  { reads, writes, box, limits, patience }: DestinationsParts,
  answers: {
    readonly show: (visit: Visit, problem: FormProblem) => Promise<Reply>;
    readonly orRefusal: (visit: Visit, work: () => Promise<Reply>) => Promise<Reply>;
  },
): Page[] {
  const switches = destinationSwitch(writes);
  const act = (path: string, work: (visit: Visit, reference: ReturnType<typeof askedBy>) => Promise<Reply>): Page => ({
    method: 'POST',
    path: `/destinations/:destination/${path}`,
    answer: (visit) => answers.orRefusal(visit, () => work(visit, askedBy(visit))),
  });
  return [
    act('test', async ({ account, form, now }, reference) => {
      // Of another account's destination nothing is counted.
      await readDestination(reads.pool, reference);
      await limits.count('test', reference.id);
      const type = form.get('change_type') ?? '';
      const deliveryId = newId('dlv', now);
      await deliveryCommands(writes).test(reference, {
        ...{ deliveryId, changeId: newId('chg', now), now },
        changeType: isDetectedChangeType(type) ? type : undefined,
      });
      await whenAttempted(deliveryReads(reads), { id: deliveryId, accountId: account.id }, TEST_WAIT_MS, patience);
      return redirect(`/destinations/${reference.id}?test=${deliveryId}#test`);
    }),
    act('enable', async ({ now }, reference) => {
      const before = await readDestination(reads.pool, reference);
      await switches.enable(reference, now);
      const since = missedSince(before);
      if (!since) return redirect(`/destinations/${reference.id}`, 'The destination is on.');
      const query = new URLSearchParams({ destination: reference.id, since: since.toISOString() });
      return redirect(
        `/deliveries/recover?${query}`,
        'The destination is on: changes from now on are sent. What it has missed is sent when you say so.',
      );
    }),
    act('disable', async ({ now }, reference) => {
      await switches.disable(reference, now);
      return redirect(`/destinations/${reference.id}`, 'The destination is off: nothing is sent.');
    }),
    {
      ...act('delete', async (visit, reference) => {
        const { name, url } = await readDestination(reads.pool, reference);
        if ((visit.form.get('name') ?? '').trim() !== (name ?? url)) {
          return answers.show(visit, { text: `Type ${name ?? url}`, status: 400, isName: true });
        }
        await destinationStore(writes, box).delete(reference, visit.now);
        return redirect('/destinations', `${name ?? url} is deleted.`);
      }),
      role: 'owner',
      needsFreshCode: true,
    },
  ];
}

/** The destination, with who asks for what is done to it. @throws NotFound */
function askedBy(visit: Visit) {
  return { ...referenceOf(visit), by: visit.actor };
}

/**
 * From when on a destination that is off has missed changes: what was pending when it was switched off was made before,
 * and what has failed for good, before the first warning of its run.
 */
function missedSince({ state, switchedOffAt, notices }: DestinationRecord): Date | undefined {
  if (state === 'active' || !switchedOffAt) return undefined;
  const enabledAt = notices.find(({ kind }) => kind === 'enabled')?.at.getTime() ?? 0;
  const warned = notices.filter(({ kind, at }) => kind === 'warning' && at.getTime() > enabledAt);
  const first = Math.min(switchedOffAt.getTime(), ...warned.map(({ at }) => at.getTime()));
  return new Date(first - ROUND_MS);
}
