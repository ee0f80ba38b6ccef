import { checkAddress } from './check-address.js';
import { type Host, isAllowedPort, parseHost } from './host.js';
import type { Cidr } from './ip-address.js';

export type DestinationUrlProblem =
  /** The text is not an absolute URL, is longer than 2,048 characters, or contains white space or a backslash. */
  | 'unreadable'
  | 'scheme'
  /** The URL has a user name or password, or just an @ before the host. */
  | 'user_info'
  | 'host'
  /** Not 80, 443 or 1024 to 65535. */
  | 'port'
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

/** Checks a destination's URL, but does not resolve its host. */
export function checkDestinationUrl(urlText: string, allowCidrs: readonly Cidr[]): DestinationUrlVerdict {
  // URL parsers disagree on how to repair such URLs.
  if (urlText.length > MAX_URL_CHARS || /[\s\p{Cc}\\]/u.test(urlText)) return { ok: false, reason: 'unreadable' };
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(urlText) ?? [];
  if (scheme === undefined || authority === undefined) return { ok: false, reason: 'unreadable' };
  if (!/^https?$/i.test(scheme)) return { ok: false, reason: 'scheme' };
  if (authority.includes('@')) return { ok: false, reason: 'user_info' };

  // In "https:///path", a URL parser would treat the path as the host.
  if (authority === '') return { ok: false, reason: 'host' };

  if (!URL.canParse(urlText)) return { ok: false, reason: 'unreadable' };
  const url = new URL(urlText);
  const host = parseHost(url.hostname);
  if (host.kind === 'invalid' || host.kind === 'zone_id') return { ok: false, reason: 'host' };
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol as keyof typeof DEFAULT_PORTS] : Number(url.port);
  if (!isAllowedPort(port)) return { ok: false, reason: 'port' };
  if (host.kind === 'address' && !checkAddress(host.address, allowCidrs).allowed) {
    return { ok: false, reason: 'forbidden_address' };
  }
  return { ok: true, url, host, port };
}
