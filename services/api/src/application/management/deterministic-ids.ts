import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeFeedToken } from '@artist-watch/domain/account/api-key';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import type { ArtistId, Id } from '@artist-watch/domain/ids';
import { ARTIST_ID_RANDOM_BYTES, ID_RANDOM_BYTES, newArtistId, newId } from '@artist-watch/runtime/ids';

/** Where a request takes what it makes anew from. */
export interface NewIds {
  /** One id of each prefix at the most, or one for each place of a list. */
  id<Prefix extends string>(prefix: Prefix, place?: number): Id<Prefix>;
  artistId(place?: number): ArtistId;
  signingSecret(): string;
  feedToken(): string;
}

/** What makes a request with an Idempotency-Key the same request again. */
export interface RepeatableRequest {
  readonly accountId: string;
  readonly key: string;
  readonly requestDigest: Uint8Array;
  /** When it was first made. */
  readonly since: Date;
}

export function randomIds(now: Date): NewIds {
  return idsFrom(now, (_, bytes) => randomBytes(bytes));
}

export type RepeatableIds = (request: RepeatableRequest) => NewIds;

/**
 * NewIds that are the same for each repeat of a request: one that was done and could not be answered, because its process
 * died or the database fell silent, makes the same destination with the same secret again, and not another one.
 *
 * @param encryptionKey ENCRYPTION_KEY, from which a key for this one use is derived (RFC 5869).
 */
export function repeatableIds(encryptionKey: Uint8Array): RepeatableIds {
  const seed = new Uint8Array(hkdfSync('sha256', encryptionKey, '', 'artist-watch repeatable request', 32));
  return ({ accountId, key, requestDigest, since }) => {
    const request = JSON.stringify([accountId, key, Buffer.from(requestDigest).toString('hex'), since.getTime()]);
    return idsFrom(since, (what, bytes) =>
      createHmac('sha256', seed).update(`${what}\n`).update(request).digest().subarray(0, bytes),
    );
  };
}

function idsFrom(at: Date, bytesFor: (what: string, bytes: number) => Uint8Array): NewIds {
  return {
    id: (prefix, place) => newId(prefix, at, bytesFor(atPlace(prefix, place), ID_RANDOM_BYTES)),
    artistId: (place) => newArtistId(bytesFor(atPlace('art', place), ARTIST_ID_RANDOM_BYTES)),
    signingSecret: () => makeSigningSecret(bytesFor('signing secret', SIGNING_SECRET_RANDOM_BYTES)),
    feedToken: () => makeFeedToken(bytesFor('feed token', API_KEY_RANDOM_BYTES)),
  };
}

function atPlace(what: string, place: number | undefined): string {
  return place === undefined ? what : `${what} ${place}`;
}
