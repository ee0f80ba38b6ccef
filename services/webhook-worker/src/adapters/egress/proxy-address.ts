import { isIP, type LookupFunction } from 'node:net';

/** What Node's clients want of a proxy's address. */

/**
 * How a connection to a proxy is made: by its name, or at one of the addresses behind it. With TLS it is the name that is
 * asked for and verified, wherever the connection goes; Node would take the `Host` of the request, which is the target's.
 */
export function connectionTo(proxy: URL, lookup: LookupFunction, peer?: string) {
  const host = hostOf(proxy);
  return {
    host: peer ?? host,
    port: portOf(proxy),
    servername: isIP(host) ? '' : host,
    lookup,
    // Every address that the look-up found, until one takes the connection (RFC 8305).
    autoSelectFamily: true,
    agent: false,
  };
}

/** RFC 9110 section 11.7.2: `Proxy-Authorization`, when the address holds a user. */
export function credentialsOf(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const userInfo = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
}

/** The host of an address as Node's clients want it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The port of an http or https address; that of its scheme where it names none. */
export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
