import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The message never contains the sealed text. */
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
 * Encrypts with AES-256-GCM (docs/reference/service.md). Sealed bytes: version (1 byte), key id (8), nonce (12), cipher
 * text and tag (16).
 * @param key 32 bytes, used for all new values.
 * @param retiredKeys used only to open older values.
 */
export function createSecretBox(key: Uint8Array, retiredKeys: readonly Uint8Array[] = []) {
  const keyId = keyIdOf(key);
  const keysById = new Map([...retiredKeys, key].map((known) => [keyIdOf(known).toString('hex'), known]));
  return {
    /**
     * @param context such as the row's id, so that a sealed value cannot be opened after being copied to another row.
     */
    seal(text: string, context: string): Uint8Array<ArrayBuffer> {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Uint8Array.from(Buffer.concat([Uint8Array.of(VERSION), keyId, nonce, ...encrypted, cipher.getAuthTag()]));
    },
    /** @throws SealError if the key is missing, the bytes were changed, or the context differs. */
    open(sealed: Uint8Array, context: string): string {
      const { id, nonce, encrypted, tag } = parseSealed(sealed);
      const known = keysById.get(id);
      if (!known) throw new SealError(`No key with the id ${id} is configured. Was ENCRYPTION_KEY replaced?`);
      const decipher = createDecipheriv('aes-256-gcm', known, nonce).setAAD(Buffer.from(context)).setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
      } catch {
        throw new SealError('The sealed bytes were changed, or belong to another context.');
      }
    },
    isOutdated: (sealed: Uint8Array): boolean => parseSealed(sealed).id !== keyId.toString('hex'),
  };
}

function keyIdOf(key: Uint8Array): Buffer {
  if (key.length !== 32) throw new TypeError('An AES-256 key must have 32 bytes.');
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}

function parseSealed(sealed: Uint8Array) {
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
