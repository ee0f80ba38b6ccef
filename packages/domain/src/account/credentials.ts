import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SignInRequestId } from '../ids.js';

/** Requests that change data need `manage`. All others need `read`. */
export const KEY_SCOPES = ['read', 'manage'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/**
 * A key is `aw_live_`, 30 random base62 characters and their CRC-32 (docs/api/requests.md). The CRC-32 detects typos
 * and helps secret scanners, but does not authenticate.
 */

const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** With 256 bits, the modulo is biased by less than one part in 2^77. */
export const API_KEY_RANDOM_BYTES = 32;

interface KeyForm {
  /** @throws {RangeError} unless there are `API_KEY_RANDOM_BYTES` bytes */
  make(randomBytes: Uint8Array): string;
  /** True if the text is formatted like a key, even if no such key exists. */
  isWellFormed(text: string): boolean;
}

function keyForm(prefix: string): KeyForm {
  const form = new RegExp(`^${prefix}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);
  return {
    make(randomBytes) {
      if (randomBytes.length !== API_KEY_RANDOM_BYTES) {
        throw new RangeError(`an API key needs ${API_KEY_RANDOM_BYTES} random bytes, not ${randomBytes.length}`);
      }
      const number = randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
      const body = prefix + base62(number, RANDOM_LENGTH);
      return body + checksum(body);
    },
    isWellFormed: (text) =>
      form.test(text) && text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH)),
  };
}

export const { make: makeApiKey, isWellFormed: isWellFormedApiKey } = keyForm('aw_live_');

export const { make: makeFeedToken, isWellFormed: isWellFormedFeedToken } = keyForm('aw_feed_');

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let rest = number;
  let digits = '';
  while (digits.length < length) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}

/** Compares in constant time. */
export function isSameSecret(given: string | Uint8Array, secret: string): boolean {
  // `timingSafeEqual` requires equal lengths.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}

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
