import type { ShownApiKey } from '@artist-watch/contracts/api/access';
import type { ArtistStatus, ShownArtist } from '@artist-watch/contracts/api/artist';
import type { ArtistDetail } from '@artist-watch/contracts/api/artist-detail';
import type { ConfirmedChange, EvidencedChange } from '@artist-watch/contracts/api/change-item';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { MemberRole } from '@artist-watch/domain/account/role';
import type { Platform, ReleaseState } from '@artist-watch/domain/catalogue';
import type { ChangeFilter } from '@artist-watch/domain/change/change-filter';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { AccountId, ApiKeyId, ArtistId, ChangeId, WatchId } from '@artist-watch/domain/ids';

/** A place in a feed: what follows is older than this change. */
export interface FeedPosition {
  readonly confirmedAt: Date;
  readonly changeId: ChangeId;
}

export interface ChangeCounting {
  /** Days without a change are left out. */
  countByDay(request: {
    readonly accountId: AccountId;
    readonly since: Date;
    readonly until: Date | undefined;
    readonly filter: ChangeFilter;
  }): Promise<
    readonly { readonly day: string; readonly critical: number; readonly warning: number; readonly info: number }[]
  >;
}

export interface ChangeFeed {
  readPage(request: {
    readonly accountId: AccountId;
    /** Inclusive. */
    readonly since: Date;
    /** Exclusive. */
    readonly until: Date | undefined;
    /** The last change of the page before; undefined for the newest. */
    readonly after: FeedPosition | undefined;
    readonly filter: ChangeFilter;
    readonly limit: number;
  }): Promise<{
    /** JSON in UTF-8 each, ready to be sent. */
    readonly items: readonly Uint8Array[];
    /** The last change of this page when others follow it. */
    readonly next: FeedPosition | undefined;
  }>;
}

export interface ChangeExports {
  /** Newest first, read as they are asked for. @throws GateFull before the first page. */
  pages(request: {
    readonly accountId: AccountId;
    readonly since: Date;
    readonly until: Date | undefined;
    readonly filter: ChangeFilter;
  }): AsyncGenerator<readonly ConfirmedChange[], void>;
}

/** Newest first. */
export type FilteredChanges = (
  range: {
    readonly accountId: AccountId;
    readonly since: Date;
    readonly until: Date | undefined;
    readonly filter: ChangeFilter;
  },
  limit: number,
) => Promise<{ readonly changes: readonly ConfirmedChange[] }>;

export interface ChangeDirectory {
  /** @throws NotFound also for what is older than `oldest`, and for a change that is not in the account's feed. */
  find(reference: {
    readonly accountId: AccountId;
    readonly id: ChangeId;
    readonly oldest: Date;
  }): Promise<EvidencedChange>;
}

export interface ArtistList {
  /** Oldest watch first. */
  readPage(request: {
    readonly accountId: AccountId;
    readonly status?: ArtistStatus | undefined;
    readonly q?: string | undefined;
    /** The watch that ended the page before. */
    readonly after?: WatchId | undefined;
    /** All unless given. */
    readonly limit?: number | undefined;
    readonly now: Date;
  }): Promise<{
    /** A JSON array, ready to be sent. */
    readonly itemsJson: string;
    readonly next: WatchId | undefined;
  }>;
}

/** An artist that the account watches; NotFound when it watches no such one. */
export interface WatchReference {
  readonly accountId: AccountId;
  readonly artistId: ArtistId;
}

export interface ArtistReads {
  /** @param since from when on changes count. @throws NotFound */
  show(
    watch: WatchReference,
    since: Date,
    now: Date,
  ): Promise<ShownArtist & { readonly counts: ArtistDetail['counts'] }>;
  /** @throws NotFound */
  releases(
    watch: WatchReference,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly releases: readonly ReleaseState[]; readonly nextOffset: number | undefined }>;
}

export interface ArtistDays {
  /** Oldest first. @throws NotFound */
  read(
    watch: WatchReference & { readonly plan: PlanName },
    since: Date,
  ): Promise<
    readonly {
      /** `YYYY-MM-DD` */
      readonly day: string;
      readonly followers: number | null;
      readonly monthlyListeners: number | null;
      readonly releases: number | null;
      readonly tracks: number | null;
      readonly readings: number;
      readonly completeReadings: number;
    }[]
  >;
}

export interface ArtistChecks {
  /** Oldest first. @throws NotFound */
  list(
    request: WatchReference & { readonly after?: ChangeId | undefined; readonly limit: number },
  ): Promise<readonly { readonly id: ChangeId; readonly platform: Platform; readonly suspicion: Suspicion }[]>;
}

export interface UsageReport {
  /** `withoutArtist`: the watches of what has been no artist of the platform for an hour. */
  read(
    accountId: AccountId,
    now: Date,
  ): Promise<{
    readonly watches: number;
    readonly withoutArtist: number;
    readonly seats: number;
    readonly keys: number;
    readonly destinations: number;
    readonly chatDestinations: number;
    readonly toolCalls: number;
    readonly pausedDestinations: number;
  }>;
}

export interface UsageHistory {
  /** The last `days` UTC days, that of `now` included, oldest first. */
  read(
    accountId: AccountId,
    days: number,
    now: Date,
  ): Promise<
    readonly {
      /** `YYYY-MM-DD` */
      readonly day: string;
      readonly requests: number;
      readonly toolCalls: number;
      readonly deliveries: number;
    }[]
  >;
}

export interface ApiKeyList {
  /** Newest first. */
  page(request: {
    readonly accountId: AccountId;
    /** The last key of the page before. */
    readonly before?: ApiKeyId | undefined;
    readonly limit: number;
  }): Promise<readonly ShownApiKey[]>;
}

export interface MemberList {
  /** Oldest first. */
  list(accountId: AccountId): Promise<
    readonly {
      readonly id: string;
      readonly email: string;
      readonly role: MemberRole;
      readonly createdAt: Date;
      readonly joinedAt: Date | null;
    }[]
  >;
}
