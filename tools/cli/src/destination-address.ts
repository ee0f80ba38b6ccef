import type { Cidr } from '@artist-watch/address-policy/cidr';
import { judgeDestination } from '@artist-watch/address-policy/judge-destination';
import { createSystemResolver } from '@artist-watch/address-policy/system-resolver';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import { UsageError } from './failure.js';

const LOOKUP_TIMEOUT_MS = 3_000;

/** @throws UsageError when the egress would not send there; a name that does not resolve yet is accepted. */
export async function requireAllowedAddress(
  url: string,
  kind: DestinationKind,
  allowCidrs: readonly Cidr[],
): Promise<void> {
  const resolve = createSystemResolver({ timeoutMs: LOOKUP_TIMEOUT_MS });
  const judgement = await judgeDestination(url, { kind, resolve, allowCidrs });
  if (!judgement.ok) throw new UsageError(judgement.message);
}
