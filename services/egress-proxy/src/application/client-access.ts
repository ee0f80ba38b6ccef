import { type Cidr, cidrContains, parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import { isSameSecret } from '@artist-watch/domain/same-secret';

export interface ClientRules {
  /** `EGRESS_CLIENT_CIDRS`. If empty, all IP addresses are allowed. */
  readonly clientCidrs: readonly Cidr[];
  /** `EGRESS_CLIENT_CREDENTIALS`, each as `user:password`. If empty, no credentials are required. */
  readonly clientCredentials: readonly string[];
}

/** The right that a client lacks: an allowed IP address, or valid credentials. */
export type MissingRight = 'address' | 'credentials';

/**
 * Returns the right that a client lacks to use this proxy, or undefined if it may use it.
 *
 * @param authorization the value of `Proxy-Authorization` (RFC 7617).
 */
export function missingRight(
  { clientCidrs, clientCredentials }: ClientRules,
  remoteAddress = '',
  authorization = '',
): MissingRight | undefined {
  const address = parseIpAddress(withoutMapping(remoteAddress));
  const isNear = address !== undefined && clientCidrs.some((range) => cidrContains(range, address));
  if (clientCidrs.length > 0 && !isNear) return 'address';
  if (clientCredentials.length === 0) return undefined;
  const given = Buffer.from(/^basic +([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '', 'base64');
  // All credentials are compared, so that the duration does not reveal which ones matched.
  const matches = clientCredentials.filter((known) => isSameSecret(given, known));
  return matches.length > 0 ? undefined : 'credentials';
}
