import { parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import Bowser from 'bowser';

const IPV6_NETWORK_BYTES = 8;

/** By what a client is counted: its IPv4 address, or the /64 of its IPv6 address, since one household has all of that. */
export function clientNetwork(address: string): string {
  const plain = withoutMapping(address.replace(/%.*$/, ''));
  const parsed = parseIpAddress(plain);
  if (!parsed) return 'unknown';
  if (parsed.bytes.length === 4) return plain;
  return `${Buffer.from(parsed.bytes.slice(0, IPV6_NETWORK_BYTES)).toString('hex')}/64`;
}

const MAX_DEVICE_CHARS = 80;
const IPV4_PLACE_BYTES = 3;
const IPV6_PLACE_BYTES = 6;

/** A browser as people know it, such as `Firefox on Linux`: without versions, which change every month. */
export function deviceName(userAgent: string): string {
  if (userAgent === '') return 'an unknown browser';
  const parser = Bowser.getParser(userAgent);
  const browser = parser.getBrowserName() || 'an unknown browser';
  const system = parser.getOSName();
  return (system === '' ? browser : `${browser} on ${system}`).slice(0, MAX_DEVICE_CHARS);
}

/** Where a client is, as far as its address says it for longer than a day: the /24 of IPv4, the /48 of IPv6. */
export function clientPlace(address: string): string {
  const parsed = parseIpAddress(withoutMapping(address.replace(/%.*$/, '')));
  if (!parsed) return 'unknown';
  const bytes = parsed.bytes.slice(0, parsed.bytes.length === 4 ? IPV4_PLACE_BYTES : IPV6_PLACE_BYTES);
  return Buffer.from(bytes).toString('hex');
}
