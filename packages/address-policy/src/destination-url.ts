import { checkAddress } from './check-address.js';
import { type Host, parseHost } from './host.js';
import type { Cidr } from './ip-address.js';

export type DestinationUrlProblem =
  /** Not an absolute address, over 2,048 characters, or with white space or a backslash in it. */
  | 'unreadable'
  /** Neither http nor https. */
  | 'scheme'
  /** `https://user:password@…`, also an empty one. */
  | 'user_info'
  /** No host name that could exist. */
  | 'host'
  /** Not 80, 443 or 1024 to 65535. */
  | 'port'
  /** An address instead of a name, and one that is not on the public internet. */
  | 'forbidden_address';

export type DestinationUrlVerdict =
  | {
      readonly ok: true;
      readonly url: URL;
      readonly host: Extract<Host, { kind: 'address' | 'name' }>;
      readonly port: number;
    }
  | { readonly ok: false; readonly reason: DestinationUrlProblem };

const MAX_URL_CHARS = 2_048;
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const;

/**
 * What can be said of a destination's address without asking a name server; resolveAndCheck says the rest. The egress
 * proxy judges host and port by the same functions when it connects.
 */
export function checkDestinationUrl(urlText: string, allowCidrs: readonly Cidr[]): DestinationUrlVerdict {
  // The URL parser would repair these, each in a way that another reader of the same text may not share.
  if (urlText.length > MAX_URL_CHARS || /[\s\p{Cc}\\]/u.test(urlText)) return { ok: false, reason: 'unreadable' };
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(urlText) ?? [];
  if (scheme === undefined || authority === undefined) return { ok: false, reason: 'unreadable' };
  if (!/^https?$/i.test(scheme)) return { ok: false, reason: 'scheme' };
  if (authority.includes('@')) return { ok: false, reason: 'user_info' };

  // "https:///path": a URL parser would take the path for the host.
  if (authority === '') return { ok: false, reason: 'host' };

  const url = parseUrl(urlText);
  if (!url) return { ok: false, reason: 'unreadable' };
  const host = parseHost(url.hostname);
  if (host.kind === 'invalid' || host.kind === 'zone_id') return { ok: false, reason: 'host' };
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol as keyof typeof DEFAULT_PORTS] : Number(url.port);
  if (!isAllowedPort(port)) return { ok: false, reason: 'port' };
  if (host.kind === 'address' && !checkAddress(host.address, allowCidrs).allowed) {
    return { ok: false, reason: 'forbidden_address' };
  }
  return { ok: true, url, host, port };
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const WELL_KNOWN = new Set([80, 443]);
const LAST_PRIVILEGED = 1_023;
const LAST = 65_535;

/**
 * 80, 443 and 1024 to 65535: no mail, no remote shell and no name service is to be spoken to by a POST
 * (docs/reference/egress.md).
 */
export function isAllowedPort(port: number): boolean {
  return WELL_KNOWN.has(port) || (Number.isInteger(port) && port > LAST_PRIVILEGED && port <= LAST);
}
