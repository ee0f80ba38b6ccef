import type { Actor } from '@artist-watch/domain/account/actor';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';

/** A notice to the account about a destination. */
export interface DestinationNotice {
  readonly id: string;
  readonly kind:
    | 'warning'
    | 'switched_off'
    | 'disabled'
    | 'enabled'
    | 'secret_rotated'
    | 'secret_activated'
    | 'paused_by_plan'
    | 'resumed_by_plan';
  readonly at: Date;
  /** The run of failures at that instant. */
  readonly consecutiveFailures: number;
  readonly reason: string;
}

/** Of the deliveries of changes that were made in the last 24 hours, the newest 10,000 at most. */
export interface DestinationStats {
  readonly deliveries: number;
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface DestinationRecord {
  readonly id: DestinationId;
  readonly accountId: AccountId;
  /** Null for none. */
  readonly name: string | null;
  readonly kind: DestinationKind;
  /** Of a channel without its secret part. */
  readonly url: string;
  readonly state: 'active' | 'off';
  /** Does it have a signing secret in force? */
  readonly signed: boolean;
  /** Has a next signing secret been made that is not in force yet? */
  readonly nextSecretPending: boolean;
  /** Nothing is sent, because the account's plan has no destinations. */
  readonly pausedByPlan: boolean;
  readonly rules: DestinationRules;
  readonly consecutiveFailures: number;
  readonly createdAt: Date;
  readonly switchedOffAt: Date | null;
  readonly switchedOffReason: string | null;
  readonly stats24h: DestinationStats;
  /** Newest first: the newest 20 about failures (`warning`, `switched_off`), and the newest 20 others. */
  readonly notices: readonly DestinationNotice[];
}

/** A destination by its id: of this account, or, for an operator, of whichever account has it. */
export interface DestinationReference {
  readonly id: DestinationId;
  readonly accountId?: AccountId;
  /** Who asks for what is done to it, for the audit: the operator unless given. */
  readonly by?: Actor;
}
