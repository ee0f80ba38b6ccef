import type { EgressError } from '@artist-watch/domain/delivery/egress-error';

export type Refusal = Exclude<EgressError, 'forbidden_destination'>;

export type DialFailureKind =
  | 'refused'
  | 'timed_out'
  /** No route to the host, or another network error. */
  | 'unreachable'
  /** This proxy has run out of file descriptors, ports or memory. */
  | 'exhausted'
  /** This machine's packet filter or routing table forbids the connection. */
  | 'not_permitted'
  /** IPv6 is forbidden. This doesn't matter if the name has a working IPv4 address. */
  | 'ipv6_not_permitted';

export class DialFailure extends Error {
  override readonly name = 'DialFailure';

  constructor(
    readonly kind: DialFailureKind,
    options?: ErrorOptions,
  ) {
    super(`the connection failed: ${kind}`, options);
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
  // There are no local ports left for this destination.
  EADDRNOTAVAIL: 'exhausted',
};

/** connect(2) error codes that have a different meaning for IPv6. */
const KIND_BY_CODE_IN_IPV6: Readonly<Record<string, DialFailureKind>> = {
  // This machine has no IPv6 address.
  EADDRNOTAVAIL: 'unreachable',
  EPERM: 'ipv6_not_permitted',
  // A firewall along the route responded with "administratively prohibited" (RFC 4443 section 3.1, code 1).
  EACCES: 'unreachable',
};

/** @param error the error from connect(2). */
export function kindOf({ code = '' }: { readonly code?: string | undefined }, family: 4 | 6): DialFailureKind {
  return (family === 6 ? KIND_BY_CODE_IN_IPV6[code] : undefined) ?? KIND_BY_CODE[code] ?? 'unreachable';
}

/** True if the host refused the connection, which proves that it can be reached. */
export function isRefusal(failure: unknown): boolean {
  return failure instanceof DialFailure && failure.kind === 'refused';
}

/** Failures caused by this proxy come first, because they must not count against a receiver. */
const MOST_INFORMATIVE_FIRST: readonly (readonly [DialFailureKind, Refusal])[] = [
  ['exhausted', 'overloaded'],
  ['not_permitted', 'internal'],
  ['timed_out', 'connection_timed_out'],
  ['refused', 'connection_refused'],
  ['ipv6_not_permitted', 'internal'],
  ['unreachable', 'connection_failed'],
];

/** Returns the reason for the most informative failure. */
export function refusalFor(failures: readonly unknown[]): Refusal {
  const kinds = new Set(failures.map((failure) => (failure instanceof DialFailure ? failure.kind : undefined)));
  if (kinds.has(undefined)) return 'internal';
  return MOST_INFORMATIVE_FIRST.find(([kind]) => kinds.has(kind))?.[1] ?? 'internal';
}
