import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Principal } from '@artist-watch/domain/account/actor';
import { isWellFormedApiKey, isWellFormedFeedToken } from '@artist-watch/domain/account/api-key';
import type { HolderCache } from '@artist-watch/http/limit/holder-cache';

export type Authentication = ReturnType<typeof createAuthentication>;

/** Identifies the caller of a request (docs/reference/api.md). */
export function createAuthentication(keys: HolderCache<Principal>, feedTokens: HolderCache<Principal>) {
  return {
    /**
     * @param secret the bearer token; undefined without one
     * @throws ApiError `unauthorized` at once without an API key or with a mistyped one. Otherwise the promise rejects
     *   with this error or with DirectoryAway.
     */
    identify(secret: string | undefined): Promise<Principal> {
      if (secret === undefined) {
        throw new ApiError('unauthorized', 'Send an API key as "Authorization: Bearer <API_KEY>".', {
          headers: { 'WWW-Authenticate': CHALLENGE },
        });
      }
      if (!isWellFormedApiKey(secret)) throw unknownSecret('API key');
      return requireHolder(keys.holderOf(secret), 'API key');
    },

    /** Identifies the caller by a feed token. @throws ApiError `unauthorized`, DirectoryAway */
    identifyFeed(token: string): Promise<Principal> {
      if (!isWellFormedFeedToken(token)) throw unknownSecret('feed token');
      return requireHolder(feedTokens.holderOf(token), 'feed token');
    },
  };
}

async function requireHolder(lookup: Promise<Principal | undefined>, what: string): Promise<Principal> {
  const principal = await lookup;
  if (principal) return principal;
  throw unknownSecret(what);
}

function unknownSecret(what: string): ApiError {
  return new ApiError('unauthorized', `This ${what} is unknown or was revoked.`, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

/** The scheme and at least one parameter (RFC 6750, section 3). `error` is added only if the request has a token. */
const CHALLENGE = 'Bearer realm="artist-watch"';
