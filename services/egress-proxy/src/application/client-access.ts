import { type Cidr, cidrContains, parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import { isSameSecret } from '@artist-watch/domain/same-secret';

export interface ClientRules {
  /** `EGRESS_CLIENT_CIDRS`. If empty, every address is allowed. */
  readonly clientCidrs: readonly Cidr[];
  /** `EGRESS_CLIENT_CREDENTIALS`, each as `user:password`. If empty, no credentials are required. */
  readonly clientCredentials: readonly string[];
}

/** The right that a client is missing: an allowed IP address, or credentials. */
export type ClientLack = 'address' | 'credentials';

/**
 * Returns the right that a client is missing to use this proxy; undefined if it may use it.
 *
 * @param authorization the value of `Proxy-Authorization` (RFC 7617).
 */
export function lackOf(
  { clientCidrs, clientCredentials }: ClientRules,
  remoteAddress = '',
  authorization = '',
): ClientLack | undefined {
  const address = parseIpAddress(withoutMapping(remoteAddress));
  const isNear = address !== undefined && clientCidrs.some((range) => cidrContains(range, address));
  if (clientCidrs.length > 0 && !isNear) return 'address';
  if (clientCredentials.length === 0) return undefined;
  const given = Buffer.from(/^basic +([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '', 'base64');
  // No early exit, so that the time does not reveal which credentials matched.
  const matches = clientCredentials.filter((known) => isSameSecret(given, known));
  return matches.length > 0 ? undefined : 'credentials';
}
