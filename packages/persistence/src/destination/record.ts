import type { ShownDestination } from '@artist-watch/contracts/api/destination';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';

export interface DestinationRecord extends ShownDestination {
  readonly id: DestinationId;
  readonly accountId: AccountId;
}

/** A destination by its id: of this account, or, for an operator, of whichever account has it. */
export interface DestinationReference {
  readonly id: DestinationId;
  readonly accountId?: AccountId;
  /** Who asks for what is done to it, for the audit: the operator unless given. */
  readonly by?: Actor;
}
