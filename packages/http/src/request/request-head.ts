import type { IncomingMessage } from 'node:http';
import { type Cidr, cidrContains, parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { editDistance } from '@artist-watch/domain/change/change-types';

export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): ApiError {
  const others = allowed.slice(0, -1).join(', ');
  const use = others === '' ? allowed.join() : `${others} or ${allowed.at(-1)}`;
  return new ApiError('method_not_allowed', `${method} is not supported here. Use ${use}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

/** Error messages only repeat the path if it is short and has no percent-encoding. */
const SHOWN = /^\/[\w.~/-]{0,79}$/;

export function notFound(path: string, suggestion?: string): ApiError {
  const what = SHOWN.test(path) ? `There is no ${path}.` : 'This URL does not exist.';
  return new ApiError('not_found', suggestion === undefined ? what : `${what} Did you mean ${suggestion}?`);
}

/** Maximum number of characters that may be inserted, deleted or replaced. */
const MAX_TYPOS = 2;

/**
 * Creates a function that suggests an existing path for a mistyped one.
 *
 * @param paths all paths, with `{id}` for ids.
 */
export function pathSuggester(base: string, paths: readonly string[]): (path: string) => string | undefined {
  const templates = paths.map((path) => path.split('/'));
  return (path) => {
    if (!SHOWN.test(path)) return undefined;
    const bare = path
      .toLowerCase()
      .replaceAll(/\/{2,}/g, '/')
      .replace(/\/$/, '')
      .replace(/^(?:\/(?:api|v\d+))*/, '');
    if (bare === '') return undefined;
    const parts = bare.split('/');
    const [nearest] = templates
      .filter(({ length }) => length === parts.length)
      .map((template) => template.map((part, index) => (part.startsWith('{') ? parts[index] : part)).join('/'))
      .map((candidate) => ({ candidate, typos: editDistance(bare, candidate) }))
      .sort((a, b) => a.typos - b.typos);
    return nearest && nearest.typos <= MAX_TYPOS ? `${base}${nearest.candidate}` : undefined;
  };
}

/**
 * Matches the scheme in any letter case, followed by spaces and one token (RFC 9110 section 11.4, RFC 6750 section
 * 2.1).
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/**
 * Rejects a missing Host header (RFC 9112 section 3.2). Rejects repeated Host or Authorization headers, because a proxy
 * may have used a different one of the values (RFC 9110 section 5.3).
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
    if (seen[name] > 1) throw new ApiError('invalid_input', `The header ${name} must be sent only once.`);
  }
}

/** Returns the path and query of a request target, which may be an absolute URL (RFC 9112 section 3.2.2). */
export function pathAndQueryOf(target = ''): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  return local.split('#', 1)[0] as string;
}

export type ClientAddressOf = (request: IncomingMessage) => string;

/**
 * Reads the client's IP address from `X-Forwarded-For`, from the right to the first untrusted address. The client can
 * forge the rest.
 *
 * @param trusted TRUSTED_PROXY_CIDRS. If empty, the header is ignored.
 * @param onUntrusted called once, with the first untrusted peer that sends the header.
 */
export function clientAddressReader(
  trusted: readonly Cidr[],
  onUntrusted: (peer: string) => void = () => undefined,
): ClientAddressOf {
  let isReported = false;
  const isTrusted = (text: string) => {
    const address = parseIpAddress(text);
    return address !== undefined && trusted.some((range) => cidrContains(range, address));
  };
  return (request) => {
    let client = peerOf(request);
    const forwarded = request.headers['x-forwarded-for'];
    if (forwarded !== undefined && !isReported && !isTrusted(client)) {
      isReported = true;
      onUntrusted(client);
    }
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
