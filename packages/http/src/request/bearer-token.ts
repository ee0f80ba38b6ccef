/** RFC 9110 section 11.4, RFC 6750 section 2.1: the scheme in any letter case, spaces, one token. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of an `Authorization` header; undefined when there is none, or another scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}
