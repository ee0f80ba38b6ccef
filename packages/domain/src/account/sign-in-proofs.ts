import { createHmac } from 'node:crypto';
import type { SignInRequestId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';

/** How long a link and a code are valid, and how many tries a code allows (docs/reference/dashboard.md). */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
export const MAX_SIGN_IN_TRIES = 5;
/** After a sign-in or a fresh code, keys, secrets and members may be changed for this long. */
export const FRESH_CODE_MS = 30 * 60_000;

export interface SignInProofs {
  /** Eight digits for the member to type. */
  codeOf(request: SignInRequestId): string;
  /** The last part of the link. */
  tokenOf(request: SignInRequestId): string;
}

/** Proof that a person reads the emails to an address. */
export type SignInProof =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string };

const CODES = 100_000_000n;

/**
 * Derives the code and the link of a request from its id. So neither is stored, where a copy of the database would
 * allow a sign-in, and the email can be rendered again after a crash.
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

/** Checks a code or link. Ignores spaces and hyphens, because people type them in codes. */
export function isProofOf(proofs: SignInProofs, request: SignInRequestId, { kind, text }: SignInProof): boolean {
  const expected = kind === 'code' ? proofs.codeOf(request) : proofs.tokenOf(request);
  const given = kind === 'code' ? text.replace(/[\s-]/g, '') : text;
  return isSameSecret(given, expected);
}
