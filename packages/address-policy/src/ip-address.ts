import { isIP } from 'node:net';

/** `text` is canonical, so that the connection uses exactly the address that was checked. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16 bytes in network order. */
  readonly bytes: readonly number[];
  /** For example `2001:db8::1`. IPv6 addresses are in hex (RFC 5952), without brackets or a zone. */
  readonly text: string;
}

/** Parses only the standard form (RFC 4291 section 2.2). ipaddr.js would parse `::1.2.3.4` as `::ffff:1.2.3.4`. */
export function parseIpAddress(text: string): IpAddress | undefined {
  switch (isIP(text)) {
    case 4:
      return { family: 4, bytes: text.split('.').map(Number), text };
    case 6:
      return text.includes('%') ? undefined : parseIpv6(text);
    default:
      return undefined;
  }
}

/** Shortens `::ffff:192.0.2.1` to `192.0.2.1`, because dual-stack sockets report IPv4 peers in the long form. */
export function withoutMapping(text: string): string {
  return text.startsWith('::ffff:') && text.includes('.') ? text.slice('::ffff:'.length) : text;
}

export function ipv4FromBytes(bytes: readonly number[]): IpAddress {
  return { family: 4, bytes, text: bytes.join('.') };
}

const IPV6_BYTES = 16;

function parseIpv6(text: string): IpAddress {
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::', 2);
  const head = groupBytes(before);
  const tail = after === undefined ? [] : groupBytes(after);
  const gap = new Array<number>(IPV6_BYTES - head.length - tail.length).fill(0);
  return { family: 6, bytes: [...head, ...gap, ...tail], text: canonical };
}

function groupBytes(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

export interface Cidr {
  readonly network: IpAddress;
  readonly prefixBits: number;
}

/** Omits the prefix length if the range has only one address. */
export function cidrText({ network, prefixBits }: Cidr): string {
  return prefixBits === network.bytes.length * 8 ? network.text : `${network.text}/${prefixBits}`;
}

/** Parses a range such as `10.0.0.0/8`, or a single address. Returns undefined if the text is invalid. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const network = parseIpAddress(address);
  if (!network) return undefined;
  const allBits = network.bytes.length * 8;
  const prefixBits = prefix === undefined ? allBits : Number(prefix);
  return prefixBits <= allBits ? { network, prefixBits } : undefined;
}

export function cidrContains({ network, prefixBits }: Cidr, address: IpAddress): boolean {
  if (network.family !== address.family) return false;
  const wholeBytes = prefixBits >> 3;
  for (let index = 0; index < wholeBytes; index += 1) {
    if (network.bytes[index] !== address.bytes[index]) return false;
  }
  const restBits = prefixBits & 7;
  if (restBits === 0) return true;
  const mask = (0xff << (8 - restBits)) & 0xff;
  return ((network.bytes[wholeBytes] ?? 0) & mask) === ((address.bytes[wholeBytes] ?? 0) & mask);
}

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
