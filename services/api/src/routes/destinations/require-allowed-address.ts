import { ApiError } from '@artist-watch/contracts/api/api-error';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { AccountId } from '@artist-watch/domain/ids';
import type { AddressJudge } from '../../application/management/ports.js';

/** What URLs and the record cannot keep as it is. */
const UNSTORABLE = /[\p{Cc}\p{Surrogate}]/u;

/** @throws ApiError `invalid_input` when the egress would not send there. */
export async function requireAllowedAddress(
  judge: AddressJudge,
  { url, kind, accountId }: { readonly url: string; readonly kind: DestinationKind; readonly accountId: AccountId },
): Promise<void> {
  if (UNSTORABLE.test(url)) throw new ApiError('invalid_input', 'url must not hold control characters.');
  const judgement = await judge(url, kind, accountId);
  if (!judgement.ok) throw new ApiError('invalid_input', judgement.message);
}
