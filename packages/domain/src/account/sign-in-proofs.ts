import { createHmac } from 'node:crypto';
import type { SignInRequestId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';

/** See docs/reference/dashboard.md. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
export const MAX_SIGN_IN_TRIES = 5;
/** How long members can change keys, secrets and members after they enter a code. */
export const FRESH_CODE_MS = 30 * 60_000;

export interface SignInProofs {
  codeOf(request: SignInRequestId): string;
  tokenOf(request: SignInRequestId): string;
}

export type SignInProof =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string };

const CODES = 100_000_000n;

/**
 * Derives the code and the link from an id, so that a copy of the database is not enough to sign in.
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

/** Ignores spaces and hyphens, because people type the code. */
export function isProofOf(proofs: SignInProofs, request: SignInRequestId, { kind, text }: SignInProof): boolean {
  const expected = kind === 'code' ? proofs.codeOf(request) : proofs.tokenOf(request);
  const given = kind === 'code' ? text.replace(/[\s-]/g, '') : text;
  return isSameSecret(given, expected);
}
