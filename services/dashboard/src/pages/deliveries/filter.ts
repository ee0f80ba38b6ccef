import { deliveryFilterSchema } from '@artist-watch/contracts/api/delivery';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import { INSTANT_HINT, typedInstant } from '../../application/typed-instant.js';

/** As they stand in the address: the names of the API. */
export const FILTER_NAMES = [
  'destination',
  'state',
  'change',
  'trigger',
  'error',
  'status_class',
  'blame',
  'since',
  'until',
] as const;

export type DeliveriesFilterName = (typeof FILTER_NAMES)[number];

export interface AskedDeliveriesFilter {
  /** As it was typed, empty fields left out. */
  readonly typed: Partial<Record<DeliveriesFilterName, string>>;
  /** What could be read of it. */
  readonly filter: DeliveryFilter;
  /** What is wrong with the rest. */
  readonly errors: Partial<Record<DeliveriesFilterName, string>>;
}

/** The filter of the list of deliveries, from an address. */
export function readFilter(query: URLSearchParams): AskedDeliveriesFilter {
  const typed: Partial<Record<DeliveriesFilterName, string>> = {};
  const errors: Partial<Record<DeliveriesFilterName, string>> = {};
  const read: Partial<Record<DeliveriesFilterName, unknown>> = {};
  for (const name of FILTER_NAMES) {
    const text = query.get(name)?.trim() ?? '';
    if (text === '') continue;
    typed[name] = text;
    if (name === 'since' || name === 'until') {
      const instant = typedInstant(text);
      if (instant) read[name] = instant;
      else errors[name] = INSTANT_HINT;
      continue;
    }
    const parsed = deliveryFilterSchema.shape[name].safeParse(text);
    if (parsed.success) read[name] = parsed.data;
    else errors[name] = parsed.error.issues[0]?.message ?? 'is not known';
  }
  const { destination: destinationId, change: changeId, status_class: statusClass, ...same } = read;
  const filter = Object.fromEntries(
    Object.entries({ destinationId, changeId, statusClass, ...same }).filter(([, value]) => value !== undefined),
  ) as DeliveryFilter;
  return { typed, filter, errors };
}
