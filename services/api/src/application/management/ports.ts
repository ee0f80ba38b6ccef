import type { ShownArtist } from '@artist-watch/contracts/api/artist';
import type { ShownDelivery, ShownDeliveryDetail, ShownRecoveryPreview } from '@artist-watch/contracts/api/delivery';
import type { ShownDestination } from '@artist-watch/contracts/api/destination';
import type { ShownRulesPreview } from '@artist-watch/contracts/api/rules-preview';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type {
  AccountId,
  ArtistId,
  ChangeId,
  DeliveryId,
  DestinationId,
  FeedTokenId,
  WatchId,
} from '@artist-watch/domain/ids';

/** A request that carries an Idempotency-Key. */
export interface KeyedRequest {
  readonly accountId: AccountId;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly requestDigest: Uint8Array;
  readonly now: Date;
}

/** That such a request was begun. With it, what the request asks for is done by one try of it, and skipped by the others. */
export interface Receipt {
  readonly accountId: AccountId;
  readonly key: string;
  readonly begunAt: Date;
  /** What earlier tries have done; null for nothing. */
  readonly progress: object | null;
}

export interface ShownFeedToken {
  readonly id: FeedTokenId;
  readonly hint: string;
  readonly name: string | null;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly lastUsedAt: Date | null;
}

export interface FeedTokens {
  /** The same one again for an id that is there already. @throws Conflict (too many) */
  create(request: {
    readonly id: FeedTokenId;
    readonly accountId: AccountId;
    readonly token: string;
    readonly name: string | null;
    readonly by: Actor;
    readonly now: Date;
  }): Promise<ShownFeedToken>;
  /** @throws NotFound */
  revoke(request: {
    readonly id: FeedTokenId;
    readonly accountId: AccountId;
    readonly by: Actor;
    readonly now: Date;
  }): Promise<ShownFeedToken>;
  /** Newest first. */
  list(accountId: AccountId): Promise<readonly ShownFeedToken[]>;
}

export interface Watches {
  /** @throws PlanLimitReached */
  watch(
    request: {
      readonly watchId: WatchId;
      readonly accountId: AccountId;
      /** The id that the artist gets if nobody has watched it before. */
      readonly artistId: ArtistId;
      readonly platform: Platform;
      readonly platformId: string;
      readonly by: Actor;
      readonly now: Date;
    },
    receipt?: Receipt,
  ): Promise<{ readonly artist: ShownArtist; readonly created: boolean }>;
  /** @throws NotFound */
  unwatch(accountId: AccountId, artist: { readonly artistId: ArtistId }, now: Date, by: Actor): Promise<unknown>;
}

/** A destination of this account; NotFound when there is none, as for one of another account. */
export interface DestinationReference {
  readonly id: DestinationId;
  readonly accountId: AccountId;
  /** Who asks, for the audit. */
  readonly by: Actor;
}

export interface Destinations {
  /** @throws PlanRequired, PlanLimitReached */
  create(
    destination: {
      readonly id: DestinationId;
      readonly accountId: AccountId;
      /** Null for none. */
      readonly name: string | null;
      readonly kind: DestinationKind;
      readonly url: string;
      /** Null for unsigned, and for every channel. */
      readonly secret: string | null;
      readonly rules: DestinationRules;
      readonly by: Actor;
      readonly now: Date;
    },
    receipt?: Receipt,
  ): Promise<ShownDestination>;
  /** Whether one more would be refused. @throws PlanRequired, PlanLimitReached */
  requireRoom(accountId: AccountId, plan: PlanName, kind: DestinationKind): Promise<void>;
  /** @throws NotFound */
  show(reference: DestinationReference): Promise<ShownDestination>;
  /** Newest first. */
  list(accountId: AccountId): Promise<readonly ShownDestination[]>;
  /** What is left out stays. */
  update(
    reference: DestinationReference,
    changes: { readonly name?: string | null; readonly url?: string; readonly rules?: Partial<DestinationRules> },
    now: Date,
  ): Promise<ShownDestination>;
  delete(reference: DestinationReference, now: Date): Promise<void>;
}

/** What rules would have done with the account's changes of late. */
export type RulesPreviews = (accountId: AccountId, rules: DestinationRules, now: Date) => Promise<ShownRulesPreview>;

export interface DestinationSwitch {
  enable(reference: DestinationReference, now: Date, receipt?: Receipt): Promise<ShownDestination>;
  disable(reference: DestinationReference, now: Date, receipt?: Receipt): Promise<ShownDestination>;
}

export interface DestinationSecrets {
  /** @throws Conflict when there is a next secret already, and it is not to be replaced. */
  rotate(
    reference: DestinationReference,
    rotation: { readonly nextSecret: string; readonly replace: boolean; readonly now: Date },
    receipt?: Receipt,
  ): Promise<ShownDestination>;
  /** @throws Conflict when there is no next secret. */
  activate(reference: DestinationReference, now: Date, receipt?: Receipt): Promise<ShownDestination>;
}

export interface DeliveryReference {
  readonly id: DeliveryId;
  readonly accountId: AccountId;
  /** Who asks, for the audit. */
  readonly by: Actor;
}

export interface DeliveryCommands {
  /** Also to a destination that is off. */
  test(
    destination: DestinationReference,
    test: {
      readonly deliveryId: DeliveryId;
      readonly changeId: ChangeId;
      readonly changeType?: DetectedChangeType | undefined;
      readonly now: Date;
    },
    receipt?: Receipt,
  ): Promise<ShownDelivery>;
  /** @throws Conflict while it is pending, or its destination is off. */
  resend(delivery: DeliveryReference, now: Date, receipt?: Receipt): Promise<ShownDelivery>;
  /**
   * @returns how many were set going.
   * @throws Conflict while the destination is off.
   */
  recover(
    destination: DestinationReference,
    request: MissedRange & { readonly now: Date },
    receipt?: Receipt,
  ): Promise<number>;
  /**
   * The same for all that pass the filter, but for destinations that are off.
   *
   * @throws Conflict while the destination of the filter is off.
   */
  recoverMatching(
    accountId: AccountId,
    request: { readonly filter: DeliveryFilter; readonly by: Actor; readonly now: Date },
    receipt?: Receipt,
  ): Promise<number>;
}

type MissedRange = Pick<DeliveryFilter, 'since' | 'until'>;

export interface DeliveryReads {
  /** Newest first. */
  list(
    request: DeliveryFilter & {
      readonly accountId: AccountId;
      /** The last delivery of the page before. */
      readonly beforeId?: DeliveryId;
      readonly limit: number;
    },
  ): Promise<readonly (ShownDelivery & { readonly id: DeliveryId })[]>;
  /** @throws NotFound */
  show(reference: DeliveryReference): Promise<ShownDeliveryDetail & { readonly destinationId: DestinationId }>;
  /** What a recovery would send. @throws NotFound */
  previewRecovery(destination: DestinationReference, range: MissedRange): Promise<ShownRecoveryPreview>;
  previewRecoveryOf(accountId: AccountId, filter: DeliveryFilter): Promise<ShownRecoveryPreview>;
}

export interface IdempotencyRecord {
  /** Of any number of equal requests at once, one is told `begun`. */
  begin(
    request: KeyedRequest,
  ): Promise<
    | { readonly kind: 'begun'; readonly since: Date; readonly progress: Receipt['progress'] }
    | { readonly kind: 'running' | 'conflict' }
    | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  >;
  /** @returns false when a repeat has taken over meanwhile: its answer counts. */
  finish(request: KeyedRequest, answer: { readonly status: number; readonly body: string }): Promise<boolean>;
  /** A repeat tries again. */
  forget(request: KeyedRequest): Promise<void>;
}
