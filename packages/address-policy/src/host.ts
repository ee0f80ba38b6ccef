import { type IpAddress, parseIpAddress } from './ip-address.js';

export type Host =
  | { readonly kind: 'address'; readonly address: IpAddress }
  /** Lower-case ASCII (punycode), without a trailing dot. */
  | { readonly kind: 'name'; readonly name: string }
  /** An address such as `fe80::1%eth0` refers to an interface on this machine. */
  | { readonly kind: 'zone_id' }
  | { readonly kind: 'invalid' };

const MAX_TEXT_CHARS = 1_024;
const MAX_NAME_CHARS = 253;

/** Check for these characters first, because the URL parser removes tabs and ends the host at a backslash. */
const NEVER_IN_A_HOST = /[\p{Cc}\p{Zs}\u2028\u2029/?#@\\<>^|"`{}]/u;

/** Allows underscores, because some real host names contain them (RFC 952 forbids them). */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Parses any spelling that resolvers or URL parsers accept (https://url.spec.whatwg.org/#host-parsing). `0x7f.1`,
 * `017700000001` and `１２７。０。０。１` all denote 127.0.0.1.
 */
export function parseHost(text: string): Host {
  if (text === '' || text.length > MAX_TEXT_CHARS || NEVER_IN_A_HOST.test(text)) return { kind: 'invalid' };
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1];
  if (bracketed !== undefined || text.includes(':')) {
    const [withoutZone = '', zone] = (bracketed ?? text).split('%', 2);
    const address = parseIpAddress(withoutZone);
    if (address?.family !== 6) return { kind: 'invalid' };
    return zone === undefined ? { kind: 'address', address } : { kind: 'zone_id' };
  }
  const url = `http://${text}/`;
  if (!URL.canParse(url)) return { kind: 'invalid' };
  const { hostname } = new URL(url);
  const address = parseIpAddress(hostname);
  if (address) return { kind: 'address', address };
  const name = hostname.replace(/\.$/, '');
  const isName = name.length <= MAX_NAME_CHARS && name.split('.').every((label) => LABEL.test(label));
  return isName ? { kind: 'name', name } : { kind: 'invalid' };
}

const ALLOWED_PRIVILEGED_PORTS = new Set([80, 443]);
const MAX_PRIVILEGED_PORT = 1_023;
const MAX_PORT = 65_535;

/** True for 80, 443 and 1024 to 65535. Services on other ports must not receive a POST (docs/reference/egress.md). */
export function isAllowedPort(port: number): boolean {
  return (
    ALLOWED_PRIVILEGED_PORTS.has(port) || (Number.isInteger(port) && port > MAX_PRIVILEGED_PORT && port <= MAX_PORT)
  );
}
