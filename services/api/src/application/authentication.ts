import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Principal } from '@artist-watch/domain/account/actor';
import { isWellFormedApiKey, isWellFormedFeedToken } from '@artist-watch/domain/account/api-key';
import type { HolderCache } from '@artist-watch/http/limit/holder-cache';

export type Authentication = ReturnType<typeof createAuthentication>;

/** Finds out whose request it is (docs/reference/api.md). */
export function createAuthentication(keys: HolderCache<Principal>, feedTokens: HolderCache<Principal>) {
  return {
    /**
     * @param secret what the request brought as its bearer token; undefined when it brought none.
     * @throws ApiError `unauthorized` at once without a key, or with a mistyped one. Rejects with it, or with DirectoryAway.
     */
    identify(secret: string | undefined): Promise<Principal> {
      if (secret === undefined) {
        throw new ApiError('unauthorized', 'Send an API key as "Authorization: Bearer <API_KEY>".', {
          headers: { 'WWW-Authenticate': CHALLENGE },
        });
      }
      if (!isWellFormedApiKey(secret)) throw unknown('API key');
      return requireHolder(keys.holderOf(secret), 'API key');
    },

    /** Whose feed a request asks for, by its token. @throws ApiError `unauthorized`, DirectoryAway */
    identifyFeed(token: string): Promise<Principal> {
      if (!isWellFormedFeedToken(token)) throw unknown('feed token');
      return requireHolder(feedTokens.holderOf(token), 'feed token');
    },
  };
}

async function requireHolder(lookup: Promise<Principal | undefined>, what: string): Promise<Principal> {
  const principal = await lookup;
  if (principal) return principal;
  throw unknown(what);
}

function unknown(what: string): ApiError {
  return new ApiError('unauthorized', `This ${what} is unknown or was revoked.`, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

/** RFC 6750 section 3: the scheme, at least one parameter, and `error` only when a token was brought. */
const CHALLENGE = 'Bearer realm="artist-watch"';
