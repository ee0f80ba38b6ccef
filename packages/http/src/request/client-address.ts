import type { IncomingMessage } from 'node:http';
import { type Cidr, cidrContains, parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';

/** Whose request it is, by address. */
export type ClientAddressOf = (request: IncomingMessage) => string;

/**
 * Behind load balancers the connection is theirs, and `X-Forwarded-For` says whose request it is. Each of them adds at
 * the right the address that it saw, so the header is read from there, and no further than proxies that are ours have
 * written it: what stands to the left of that, anybody may have sent.
 *
 * @param trusted TRUSTED_PROXY_CIDRS; without any the header is not looked at.
 */
export function clientAddressReader(trusted: readonly Cidr[]): ClientAddressOf {
  if (trusted.length === 0) return peerOf;
  const isTrusted = (text: string) => {
    const address = parseIpAddress(text);
    return address !== undefined && trusted.some((range) => cidrContains(range, address));
  };
  return (request) => {
    let client = peerOf(request);
    const forwarded = request.headers['x-forwarded-for'];
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',');
    while (hops.length > 0 && isTrusted(client)) {
      const hop = withoutMapping((hops.pop() ?? '').trim());
      if (!parseIpAddress(hop)) break;
      client = hop;
    }
    return client;
  };
}

function peerOf({ socket }: IncomingMessage): string {
  return withoutMapping(socket.remoteAddress ?? '');
}
