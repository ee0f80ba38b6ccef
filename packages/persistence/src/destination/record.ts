import type { ShownDestination } from '@artist-watch/contracts/api/destination';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';

export interface DestinationRecord extends ShownDestination {
  readonly id: DestinationId;
  readonly accountId: AccountId;
}

/** Identifies a destination. Without `accountId` (operators), it may belong to any account. */
export interface DestinationReference {
  readonly id: DestinationId;
  readonly accountId?: AccountId;
  /** The actor in the audit log. Default: the operator. */
  readonly by?: Actor;
}
