import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[\w-]{43}$/;
const TOKEN_BYTES = 32;

/** What a share link ends in. Nobody guesses 256 bits, so the link alone is the right to read. */
export function newShareToken(): { readonly token: string; readonly sha256: Uint8Array } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: sha256(token) };
}

/** Undefined for what can be no token. */
export function shareTokenSha256(text: string): Uint8Array | undefined {
  return TOKEN.test(text) ? sha256(text) : undefined;
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
