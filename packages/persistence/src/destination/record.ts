import type { ShownDestination } from '@artist-watch/contracts/api/destination';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';

export interface DestinationRecord extends ShownDestination {
  readonly id: DestinationId;
  readonly accountId: AccountId;
}

/** Operators omit `accountId`, because the destination may belong to any account. */
export interface DestinationReference {
  readonly id: DestinationId;
  readonly accountId?: AccountId;
  /** Default: the operator. */
  readonly by?: Actor;
}
