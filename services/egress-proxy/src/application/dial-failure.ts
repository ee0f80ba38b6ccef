import type { EgressError } from '@artist-watch/domain/delivery/egress-error';

/** Why no tunnel was opened: the value of `X-Egress-Error`. */
export type Refusal = Exclude<EgressError, 'forbidden_destination'>;

/** Why one address could not be connected to. */
export type DialFailureKind =
  | 'refused'
  | 'timed_out'
  /** No route, reset, and whatever else lies between here and there. */
  | 'unreachable'
  /** This proxy has no descriptor, port or memory left. */
  | 'exhausted'
  /** This machine's own packet filter, or a route of its own that prohibits. */
  | 'not_permitted'
  /** The same of IPv6 alone: whoever has a working IPv4 address never notices. */
  | 'ipv6_not_permitted';

export class DialFailure extends Error {
  override readonly name = 'DialFailure';

  constructor(
    readonly kind: DialFailureKind,
    options?: ErrorOptions,
  ) {
    super(`dialling failed: ${kind}`, options);
  }
}

const KIND_BY_CODE: Readonly<Record<string, DialFailureKind>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timed_out',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  ENOBUFS: 'exhausted',
  ENOMEM: 'exhausted',
  EPERM: 'not_permitted',
  EACCES: 'not_permitted',
  // The ports to the same destination are used up.
  EADDRNOTAVAIL: 'exhausted',
};

/** Errors of connect(2) with another meaning for IPv6. */
const KIND_BY_CODE_IN_IPV6: Readonly<Record<string, DialFailureKind>> = {
  // This machine has no address of IPv6.
  EADDRNOTAVAIL: 'unreachable',
  EPERM: 'ipv6_not_permitted',
  // A firewall on the way, or the receiver's own, says "administratively prohibited" (RFC 4443 section 3.1, code 1).
  EACCES: 'unreachable',
};

/** @param error what connect(2) said. */
export function kindOf({ code = '' }: { readonly code?: string | undefined }, family: 4 | 6): DialFailureKind {
  return (family === 6 ? KIND_BY_CODE_IN_IPV6[code] : undefined) ?? KIND_BY_CODE[code] ?? 'unreachable';
}

/** A refusal proves that the host is reachable. */
export function isRefusal(failure: unknown): boolean {
  return failure instanceof DialFailure && failure.kind === 'refused';
}

/** From the most to the least specific. Our own failures come first, because they must not count against a receiver. */
const MOST_TELLING_FIRST: readonly (readonly [DialFailureKind, Refusal])[] = [
  ['exhausted', 'overloaded'],
  ['not_permitted', 'internal'],
  ['timed_out', 'connection_timed_out'],
  ['refused', 'connection_refused'],
  ['ipv6_not_permitted', 'internal'],
  ['unreachable', 'connection_failed'],
];

/**
 * One reason for all addresses of a name. A machine without IPv6 finds those addresses unreachable or forbids them, so
 * that what the IPv4 ones say is the better answer.
 */
export function refusalFor(failures: readonly unknown[]): Refusal {
  const kinds = new Set(failures.map((failure) => (failure instanceof DialFailure ? failure.kind : undefined)));
  if (kinds.has(undefined)) return 'internal';
  return MOST_TELLING_FIRST.find(([kind]) => kinds.has(kind))?.[1] ?? 'internal';
}
