import { createHmac } from 'node:crypto';
import type { SignInRequestId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';

/** docs/reference/dashboard.md: how long a link and a code are worth something, and how often a code may be typed. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
export const MAX_SIGN_IN_TRIES = 5;
/** For how long after a sign-in, or a fresh code, keys, secrets and members may be changed. */
export const FRESH_CODE_MS = 30 * 60_000;

export interface SignInProofs {
  /** Eight digits, to be typed. */
  codeOf(request: SignInRequestId): string;
  /** The end of the link. */
  tokenOf(request: SignInRequestId): string;
}

/** What shows that somebody reads the mails of an address. */
export type SignInProof =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string };

const CODES = 100_000_000n;

/**
 * The code and the link of a request, derived from its id: so neither stands in the record, where a copy of the database
 * would let its reader in, and the mail can be made again after a crash.
 *
 * @param key ENCRYPTION_KEY
 */
export function signInProofs(key: Uint8Array): SignInProofs {
  const derive = (purpose: string, request: SignInRequestId) =>
    createHmac('sha256', key).update(`artist-watch ${purpose} ${request}`).digest();
  return {
    codeOf: (request) => (derive('sign-in code', request).readBigUInt64BE() % CODES).toString().padStart(8, '0'),
    tokenOf: (request) => derive('sign-in link', request).toString('base64url'),
  };
}

/** People type codes with spaces and hyphens. */
export function isProofOf(proofs: SignInProofs, request: SignInRequestId, { kind, text }: SignInProof): boolean {
  const expected = kind === 'code' ? proofs.codeOf(request) : proofs.tokenOf(request);
  const given = kind === 'code' ? text.replace(/[\s-]/g, '') : text;
  return isSameSecret(given, expected);
}
