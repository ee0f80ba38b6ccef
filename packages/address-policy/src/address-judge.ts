import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import type { Cidr } from './cidr.js';
import { type DestinationJudgement, judgeDestination } from './judge-destination.js';
import type { Resolver } from './resolve-and-check.js';

/** May a destination of this kind have the address? Rejects with GateFull when too many are asked. */
export type AddressJudge = (url: string, kind: DestinationKind, accountId: string) => Promise<DestinationJudgement>;

/** Of one account at once; as many as its plan has destinations may wait. */
const LOOK_UPS_OF_ACCOUNT = { places: 2, maxWaiting: 10, maxWaitMs: 5_000 };
const LOOK_UPS = { places: 64, maxWaiting: 100, maxWaitMs: 2_000 };

/** What URLs and the record cannot keep as it is. */
const UNSTORABLE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * Judges the addresses that customers write. Name servers that fall silent keep those waiting who sent us there, and nobody
 * else (docs/adr/0029).
 *
 * @param allowCidrs EGRESS_ALLOW_CIDRS
 */
export function addressJudge(allowCidrs: readonly Cidr[], resolve: Resolver): AddressJudge {
  const ofAccounts = new Gates(LOOK_UPS_OF_ACCOUNT);
  const ofAll = new Gate(LOOK_UPS);
  return async (url, kind, accountId) => {
    if (UNSTORABLE.test(url)) return { ok: false, message: 'url must not hold control characters.' };
    return ofAccounts.run(accountId, () => ofAll.run(() => judgeDestination(url, { kind, resolve, allowCidrs })));
  };
}
