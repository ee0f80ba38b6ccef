import type { EgressError } from '@artist-watch/domain/delivery/egress-error';

/** The reason why no tunnel was opened, as in `X-Egress-Error`. */
export type Refusal = Exclude<EgressError, 'forbidden_destination'>;

/** The reason why the connection to one address failed. */
export type DialFailureKind =
  | 'refused'
  | 'timed_out'
  /** No route, a reset, or any other error on the way to the address. */
  | 'unreachable'
  /** This proxy has no file descriptor, port or memory left. */
  | 'exhausted'
  /** This machine's packet filter or one of its routes forbids the connection. */
  | 'not_permitted'
  /** The same, but only for IPv6. Does not matter for a name that also has a working IPv4 address. */
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
  // No local port is left for this destination.
  EADDRNOTAVAIL: 'exhausted',
};

/** Errors of connect(2) with another meaning for IPv6. */
const KIND_BY_CODE_IN_IPV6: Readonly<Record<string, DialFailureKind>> = {
  // This machine has no IPv6 address.
  EADDRNOTAVAIL: 'unreachable',
  EPERM: 'ipv6_not_permitted',
  // A firewall on the way or at the receiver responds "administratively prohibited" (RFC 4443 section 3.1, code 1).
  EACCES: 'unreachable',
};

/** @param error the error from connect(2). */
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
 * Returns one reason for all addresses of a name. On a machine without IPv6, all IPv6 addresses are unreachable or
 * forbidden, so the failures of the IPv4 addresses are more informative.
 */
export function refusalFor(failures: readonly unknown[]): Refusal {
  const kinds = new Set(failures.map((failure) => (failure instanceof DialFailure ? failure.kind : undefined)));
  if (kinds.has(undefined)) return 'internal';
  return MOST_TELLING_FIRST.find(([kind]) => kinds.has(kind))?.[1] ?? 'internal';
}
