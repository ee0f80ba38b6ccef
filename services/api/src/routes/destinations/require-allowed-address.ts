import type { AddressJudge } from '@artist-watch/address-policy/judge-destination';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { AccountId } from '@artist-watch/domain/ids';

/** @throws ApiError `invalid_input` when the egress would not send there. */
export async function requireAllowedAddress(
  judge: AddressJudge,
  { url, kind, accountId }: { readonly url: string; readonly kind: DestinationKind; readonly accountId: AccountId },
): Promise<void> {
  const judgement = await judge(url, kind, accountId);
  if (!judgement.ok) throw new ApiError('invalid_input', judgement.message);
}
