import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The sealed bytes cannot be opened here. Never says what was in them. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

const NONCE_BYTES = 12;
const VERSION = 1;
const KEY_ID_BYTES = 8;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;

export type SecretBox = ReturnType<typeof createSecretBox>;

/**
 * Seals what the record must be able to read again but nobody who copies the database may: signing secrets, and answers
 * that show one (docs/reference/service.md).
 *
 * A box over AES-256-GCM. Sealed bytes are: version (1), key id (8), nonce (12), cipher text, tag (16). The key id is cut
 * from the key's own SHA-256, so a new key needs no numbering: seal with the new one, go on opening with the old ones.
 *
 * @param key 32 bytes; what is sealed from now on is sealed with it.
 * @param retiredKeys keys that earlier secrets may still be sealed with.
 */
export function createSecretBox(key: Uint8Array, retiredKeys: readonly Uint8Array[] = []) {
  const keyId = idOf(key);
  const keysById = new Map([...retiredKeys, key].map((known) => [idOf(known).toString('hex'), known]));
  return {
    /**
     * @param context where the sealed text will stand (such as the id of its row). It opens nowhere else, so a row cannot
     * be given the secret of another.
     */
    seal(text: string, context: string): Uint8Array<ArrayBuffer> {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Uint8Array.from(Buffer.concat([Uint8Array.of(VERSION), keyId, nonce, ...encrypted, cipher.getAuthTag()]));
    },
    /** @throws SealError when the key is not at hand, the bytes were changed, or they belong to another context. */
    open(sealed: Uint8Array, context: string): string {
      const { id, nonce, encrypted, tag } = partsOf(sealed);
      const known = keysById.get(id);
      if (!known) throw new SealError(`No key with the id ${id} is at hand; was ENCRYPTION_KEY replaced?`);
      const decipher = createDecipheriv('aes-256-gcm', known, nonce).setAAD(Buffer.from(context)).setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
      } catch {
        throw new SealError('The sealed bytes were changed, or belong to something else.');
      }
    },
    /** Was this sealed with a key other than the present one? */
    isOutdated: (sealed: Uint8Array): boolean => partsOf(sealed).id !== keyId.toString('hex'),
  };
}

function idOf(key: Uint8Array): Buffer {
  if (key.length !== 32) throw new TypeError('An AES-256 key has 32 bytes.');
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}

function partsOf(sealed: Uint8Array) {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEADER_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) {
    throw new SealError('These bytes were not sealed by this version.');
  }
  return {
    id: bytes.subarray(1, HEADER_BYTES).toString('hex'),
    nonce: bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES),
    encrypted: bytes.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES),
    tag: bytes.subarray(-TAG_BYTES),
  };
}
