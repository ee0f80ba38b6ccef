import { REFUSAL_HEADER } from '../application/refusal.js';

/** RFC 9110 section 7.6.1, and those that only a proxy reads. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** What we know of a request by tracing stays in the house (W3C Trace Context, section 6.1; W3C Baggage, section 4). */
const OF_TRACES = new Set(['traceparent', 'tracestate', 'baggage']);

/** Headers by which a proxy speaks: a destination that sends them would pass its own words off as ours. */
const SPOKEN_BY_PROXIES = new Set([REFUSAL_HEADER.toLowerCase(), 'x-smokescreen-error', 'x-squid-error']);

/** `Connection: content-length` must not take the length off a body: what follows would be read as another request. */
const FRAMING = new Set(['content-length', 'host']);

const VIA = '1.1 artist-watch-egress';

/**
 * The headers of a request as the destination is to see them: its own Host, no hop-by-hop header, one connection for one
 * request, and the framing of the body said anew.
 *
 * @param raw names and values by turns, as Node's parser gives them.
 */
export function requestHeaders(raw: readonly string[], authority: string, method: string): string[] {
  const dropped = droppedNames(raw);
  const kept = pairs(raw).filter(([text]) => {
    const name = text.toLowerCase();
    return !dropped.has(name) && !OF_TRACES.has(name) && name !== 'host';
  });
  return [...['Host', authority], ...kept.flat(), ...framing(raw, method), ...['Via', VIA], ...['Connection', 'close']];
}

/** The headers of an answer as the client is to see them. */
export function responseHeaders(raw: readonly string[]): string[] {
  const dropped = droppedNames(raw);
  return pairs(raw)
    .filter(([name]) => !dropped.has(name.toLowerCase()) && !SPOKEN_BY_PROXIES.has(name.toLowerCase()))
    .flat();
}

function framing(raw: readonly string[], method: string): string[] {
  const names = new Set(pairs(raw).map(([name]) => name.toLowerCase()));
  if (names.has('transfer-encoding')) return ['Transfer-Encoding', 'chunked'];
  const meansABody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return meansABody && !names.has('content-length') ? ['Content-Length', '0'] : [];
}

function droppedNames(raw: readonly string[]): ReadonlySet<string> {
  const listed = pairs(raw)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !FRAMING.has(name));
  return new Set([...HOP_BY_HOP, ...listed]);
}

function pairs(raw: readonly string[]): [name: string, value: string][] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) found.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return found;
}
