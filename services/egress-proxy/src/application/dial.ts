import type { IpAddress } from '@artist-watch/address-policy/ip-address';
import type { EgressError } from '@artist-watch/domain/delivery/attempt-errors';

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

export interface Connection {
  destroy(): void;
}

/**
 * Connects to exactly this address without looking anything up. Rejects with a DialFailure. Leaves no connection open
 * when aborted.
 */
export type Dial<Opened extends Connection> = (
  address: IpAddress,
  port: number,
  signal: AbortSignal,
) => Promise<Opened>;

export interface Connected<Opened> {
  readonly connection: Opened;
  readonly address: IpAddress;
}

export class AllAddressesFailed extends Error {
  override readonly name = 'AllAddressesFailed';

  constructor(
    readonly failures: readonly unknown[],
    readonly addresses: readonly IpAddress[],
  ) {
    super(`the connections to all ${failures.length} addresses failed`);
  }
}

/** How long to wait for an address before trying the next one as well (RFC 8305 section 5). */
const STAGGER_MS = 250;
const MAX_ADDRESSES = 8;
/** Without an abort reason, Node would create an error with a stack trace for each tunnel. */
const SETTLED = 'settled';

/**
 * Connects to the address that responds first. Doesn't look up names or check policies.
 *
 * @throws AllAddressesFailed, or the signal's reason if it is aborted.
 */
export function connectToFirst<Opened extends Connection>(
  addresses: readonly IpAddress[],
  port: number,
  dial: Dial<Opened>,
  signal: AbortSignal,
): Promise<Connected<Opened>> {
  return new Promise((resolve, reject) => {
    const waiting = alternating(addresses).slice(0, MAX_ADDRESSES);
    const failures: unknown[] = [];
    const failedAt: IpAddress[] = [];
    const others = new AbortController();
    let pending = 0;
    let settled = false;
    let stagger: NodeJS.Timeout | undefined;

    const stop = () => {
      settled = true;
      clearTimeout(stagger);
      signal.removeEventListener('abort', onAbort);
      others.abort(SETTLED);
    };
    const onAbort = () => {
      stop();
      reject(signal.reason);
    };

    const dialNext = () => {
      clearTimeout(stagger);
      const address = waiting.shift();
      if (settled || address === undefined) return;
      pending += 1;
      if (waiting.length > 0) stagger = setTimeout(dialNext, STAGGER_MS);
      dial(address, port, others.signal).then(
        (connection) => {
          if (settled) {
            connection.destroy();
            return;
          }
          stop();
          resolve({ connection, address });
        },
        (failure: unknown) => {
          pending -= 1;
          failures.push(failure);
          failedAt.push(address);
          if (waiting.length > 0) dialNext();
          else if (pending === 0 && !settled) {
            stop();
            reject(new AllAddressesFailed(failures, failedAt));
          }
        },
      );
    };

    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else dialNext();
  });
}

/** Alternates between IPv6 and IPv4, starting with IPv6 (RFC 8305 section 4). */
function alternating(addresses: readonly IpAddress[]): IpAddress[] {
  const ipv6: IpAddress[] = [];
  const ipv4: IpAddress[] = [];
  const ordered: IpAddress[] = [];
  for (const address of addresses) (address.family === 6 ? ipv6 : ipv4).push(address);
  while (ipv6.length > 0 || ipv4.length > 0) ordered.push(...ipv6.splice(0, 1), ...ipv4.splice(0, 1));
  return ordered;
}
