import type { IncomingMessage } from 'node:http';
import { type Cidr, cidrContains, parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import { ApiError } from '@artist-watch/contracts/api/errors';

/** RFC 9110 section 11.4, RFC 6750 section 2.1: the scheme in any letter case, spaces, one token. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of an `Authorization` header; undefined when there is none, or another scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/**
 * Refuses a request without Host (RFC 9112 section 3.2; Node would do so by itself, with an empty body), and one that names
 * its host or its caller twice: Node takes the first of several, another server on the way may have taken the last
 * (RFC 9110 section 5.3).
 *
 * @throws ApiError `invalid_input`
 */
export function refuseAmbiguous({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new ApiError('invalid_input', 'A request must have a Host header.');
  }
  const seen = { host: 0, authorization: 0 };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    seen[name] += 1;
    if (seen[name] > 1) throw new ApiError('invalid_input', `The header ${name} must be sent once.`);
  }
}

/** The path and the query of a request target: one in absolute form is the same as one without (RFC 9112 section 3.2.2). */
export function pathAndQueryOf(target = ''): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  return local.split('#', 1)[0] as string;
}

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
