import type { Refusal } from './refusal.js';

/** Why one address could not be connected to. */
export type DialFailureKind =
  | 'refused'
  | 'timed_out'
  /** No route, reset, and whatever else lies between here and there. */
  | 'unreachable'
  /** This proxy has no descriptor, port or memory left. */
  | 'exhausted'
  /** This machine's own packet filter. */
  | 'not_permitted';

export class DialFailure extends Error {
  override readonly name = 'DialFailure';

  constructor(
    readonly kind: DialFailureKind,
    options?: ErrorOptions,
  ) {
    super(`dialling failed: ${kind}`, options);
  }
}

/** Whoever refuses has been reached. */
export function isRefusal(failure: unknown): boolean {
  return failure instanceof DialFailure && failure.kind === 'refused';
}

/** From what tells most to what tells least. Our own trouble goes first, as it must not be charged to a receiver. */
const MOST_TELLING_FIRST: readonly (readonly [DialFailureKind, Refusal])[] = [
  ['exhausted', 'overloaded'],
  ['not_permitted', 'internal'],
  ['timed_out', 'connection_timed_out'],
  ['refused', 'connection_refused'],
  ['unreachable', 'connection_failed'],
];

/**
 * One reason for all addresses of a name. A machine without IPv6 finds those addresses unreachable, so that the refusal
 * of the IPv4 ones is the better answer.
 */
export function refusalFor(failures: readonly unknown[]): Refusal {
  const kinds = new Set(failures.map((failure) => (failure instanceof DialFailure ? failure.kind : undefined)));
  if (kinds.has(undefined)) return 'internal';
  return MOST_TELLING_FIRST.find(([kind]) => kinds.has(kind))?.[1] ?? 'internal';
}
