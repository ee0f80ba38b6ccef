/**
 * The form of an API key: `aw_live_`, 30 random base62 characters, and the CRC-32 of all that in 6 more, so that a
 * mistyped or cut key is refused without a database read, and secret scanners can tell a real one
 * (docs/reference/api.md). The checksum is no protection: what makes a key valid is that its SHA-256 is stored.
 */
import { crc32 } from 'node:zlib';

const PREFIX = 'aw_live_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^aw_live_[0-9A-Za-z]{36}$/;

/** How many random bytes a key takes. 256 bits taken modulo 62^30 are uneven by less than one part in 2^77. */
export const API_KEY_RANDOM_BYTES = 32;

/**
 * A new key from `API_KEY_RANDOM_BYTES` bytes of a cryptographic source.
 *
 * @throws {RangeError} for another number of bytes.
 */
export function makeApiKey(randomBytes: Uint8Array): string {
  if (randomBytes.length !== API_KEY_RANDOM_BYTES) {
    throw new RangeError(`an API key takes ${API_KEY_RANDOM_BYTES} random bytes, not ${randomBytes.length}`);
  }
  const number = randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = PREFIX + base62(number, RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether this can be a key at all. Whether it is one, the database knows. */
export function isWellFormedApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  return text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH));
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

/** The last `length` digits, padded with zeros. */
function base62(number: bigint, length: number): string {
  let rest = number;
  let digits = '';
  while (digits.length < length) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}
