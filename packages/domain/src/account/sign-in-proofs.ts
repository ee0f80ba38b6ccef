import { createHmac } from 'node:crypto';
import type { SignInRequestId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';

/** How long a sign-in link and its code are valid, and how often a code can be tried (docs/reference/dashboard.md). */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
export const MAX_SIGN_IN_TRIES = 5;
/** How long a member can change keys, secrets and members after a sign-in or a fresh code. */
export const FRESH_CODE_MS = 30 * 60_000;

export interface SignInProofs {
  /** Returns the code of a sign-in request: eight digits for the member to type. */
  codeOf(request: SignInRequestId): string;
  /** Returns the last part of the sign-in link. */
  tokenOf(request: SignInRequestId): string;
}

/** A code or a link. It proves that the person can read the emails sent to an email address. */
export type SignInProof =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string };

const CODES = 100_000_000n;

/**
 * Derives the code and the link of a sign-in request from its id. Neither is stored, so a copy of the database does not
 * allow anyone to sign in, and the email can be rendered again after a crash.
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

/**
 * True if a code or link belongs to the sign-in request. Ignores spaces and hyphens in codes, because people type them.
 */
export function isProofOf(proofs: SignInProofs, request: SignInRequestId, { kind, text }: SignInProof): boolean {
  const expected = kind === 'code' ? proofs.codeOf(request) : proofs.tokenOf(request);
  const given = kind === 'code' ? text.replace(/[\s-]/g, '') : text;
  return isSameSecret(given, expected);
}
