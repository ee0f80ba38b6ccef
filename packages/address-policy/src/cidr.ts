import { type IpAddress, parseIpAddress } from './ip-address.js';

/** A range of addresses. */
export interface Cidr {
  readonly network: IpAddress;
  readonly prefixBits: number;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. Undefined when it is neither; bits behind the prefix do not matter. */
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
