import { crc32 } from 'node:zlib';

/** Scopes of an API key. Every change needs `manage`; all other requests need `read`. */
export const KEY_SCOPES = ['read', 'manage'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/**
 * An API key is `aw_live_`, then 30 random base62 characters, then a checksum: the CRC-32 of everything before it, as 6
 * base62 characters. The checksum allows us to reject a mistyped or truncated key without a database query, and secret
 * scanners to recognize a real key (docs/reference/api.md). The token of a private feed has the same form with the
 * prefix `aw_feed_`. The checksum is not a protection: a key is valid only if its SHA-256 is stored.
 */

const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes per key. With 256 bits, the bias of the modulo 62^30 is below one part in 2^77. */
export const API_KEY_RANDOM_BYTES = 32;

interface KeyForm {
  /**
   * Creates a key from `API_KEY_RANDOM_BYTES` bytes of a cryptographic source.
   *
   * @throws {RangeError} for another number of bytes
   */
  make(randomBytes: Uint8Array): string;
  /** True if the text has the form of a key. The key may not exist. */
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

/** Returns the last `length` base62 digits of a number, padded with zeros. */
function base62(number: bigint, length: number): string {
  let rest = number;
  let digits = '';
  while (digits.length < length) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}
