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
     * @throws ApiError `unauthorized`, DirectoryAway. A key with a typing error is refused without asking anybody.
     */
    async identify(secret: string | undefined): Promise<Principal> {
      if (secret === undefined) {
        throw new ApiError('unauthorized', 'Send an API key as "Authorization: Bearer <API_KEY>".', {
          headers: { 'WWW-Authenticate': CHALLENGE },
        });
      }
      const principal = isWellFormedApiKey(secret) ? await keys.holderOf(secret) : undefined;
      if (principal) return principal;
      throw unknown('API key');
    },

    /** Whose feed a request asks for, by its token. @throws ApiError `unauthorized`, DirectoryAway */
    async identifyFeed(token: string): Promise<Principal> {
      const principal = isWellFormedFeedToken(token) ? await feedTokens.holderOf(token) : undefined;
      if (principal) return principal;
      throw unknown('feed token');
    },
  };
}

function unknown(what: string): ApiError {
  return new ApiError('unauthorized', `This ${what} is unknown or was revoked.`, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
  });
}

/** RFC 6750 section 3: the scheme, at least one parameter, and `error` only when a token was brought. */
const CHALLENGE = 'Bearer realm="artist-watch"';
