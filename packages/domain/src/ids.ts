/** Branded ids prevent passing an ArtistId as a ChangeId (docs/reference/service.md). */

declare const brand: unique symbol;

export type Id<Prefix extends string> = string & { readonly [brand]: Prefix };

export type AccountId = Id<'acc'>;
export type MemberId = Id<'mem'>;
export type ApiKeyId = Id<'key'>;
export type FeedTokenId = Id<'fed'>;
export type ArtistId = Id<'art'>;
export type GroupId = Id<'grp'>;
export type WatchId = Id<'wat'>;
export type SnapshotId = Id<'snp'>;
export type ChangeId = Id<'chg'>;
export type DestinationId = Id<'dst'>;
export type DeliveryId = Id<'dlv'>;
export type AttemptId = Id<'att'>;
export type SessionId = Id<'ses'>;
export type SignInRequestId = Id<'sgn'>;
export type MailId = Id<'mai'>;
export type AuditEventId = Id<'aud'>;
export type ChangeShareId = Id<'shr'>;
