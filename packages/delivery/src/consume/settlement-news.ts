import type { DestinationNews, SettlementResult } from '../decide/ports.js';
import type { LongRun, SettledBatch } from '../store/settlement.js';

const NONE: readonly DestinationNews[] = [];

/**
 * Lets one result of each destination tell what the batch did to it. However many of its attempts settle together, it
 * is warned once, switched off once, and followed up once.
 */
export function withNews({ results, warned, switchedOff }: SettledBatch): readonly SettlementResult[] {
  const untold = new Map<string, DestinationNews[]>();
  const add = (kind: DestinationNews['kind'], longRuns: readonly LongRun[]) => {
    for (const { destinationId, consecutiveFailures } of longRuns) {
      const news = untold.get(destinationId) ?? [];
      untold.set(destinationId, [...news, { kind, consecutiveFailures }]);
    }
  };
  add('warned', warned);
  add('switched_off', switchedOff);
  const off = new Set(switchedOff.map(({ destinationId }) => destinationId));
  return results.map((result) => {
    if (result.kind === 'superseded') return result;
    const { kind, destinationId, state } = result;
    const news = untold.get(destinationId) ?? NONE;
    untold.delete(destinationId);
    return { kind, destinationId, state, retryInMs: off.has(destinationId) ? null : result.retryInMs, news };
  });
}
