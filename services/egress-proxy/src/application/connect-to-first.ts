import type { IpAddress } from '@artist-watch/address-policy/ip-address';

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
