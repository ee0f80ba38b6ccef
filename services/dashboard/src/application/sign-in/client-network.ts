import { parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';

const IPV6_NETWORK_BYTES = 8;

/** By what a client is counted: its IPv4 address, or the /64 of its IPv6 address, since one household has all of that. */
export function clientNetwork(address: string): string {
  const plain = withoutMapping(address.replace(/%.*$/, ''));
  const parsed = parseIpAddress(plain);
  if (!parsed) return 'unknown';
  if (parsed.bytes.length === 4) return plain;
  return `${Buffer.from(parsed.bytes.slice(0, IPV6_NETWORK_BYTES)).toString('hex')}/64`;
}
