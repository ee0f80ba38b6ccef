import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Database } from './database/database.js';
import { columnsOf } from './database/sql-text.js';

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

const PAGE_ROWS = 500;

interface SealedRow {
  readonly id: string;
  readonly sealed_secret: Uint8Array | null;
  readonly sealed_next_secret: Uint8Array | null;
  readonly sealed_headers: Uint8Array | null;
}

/**
 * Re-encrypts secrets that use a retired key. Skips destinations that are being changed at the same time.
 * @returns the number of updated destinations.
 * @throws SealError if the key for a secret is missing.
 */
export async function resealSecrets({ pool }: Database, box: SecretBox): Promise<number> {
  let resealed = 0;
  for (let afterId = ''; ; ) {
    const { rows } = await pool.query<SealedRow>(
      `SELECT id, sealed_secret, sealed_next_secret, sealed_headers FROM destinations
        WHERE id > $1 AND num_nonnulls(sealed_secret, sealed_next_secret, sealed_headers) > 0 ORDER BY id LIMIT $2`,
      [afterId, PAGE_ROWS],
    );
    const outdated = rows.filter((row) =>
      [row.sealed_secret, row.sealed_next_secret, row.sealed_headers].some((sealed) => isOutdated(box, sealed)),
    );
    const { rowCount } = await pool.query(
      `UPDATE destinations d SET sealed_secret = s.secret, sealed_next_secret = s.next_secret, sealed_headers = s.headers
         FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
                AS s (id, old_secret, old_next_secret, old_headers, secret, next_secret, headers)
        WHERE d.id = s.id
          AND d.sealed_secret IS NOT DISTINCT FROM s.old_secret
          AND d.sealed_next_secret IS NOT DISTINCT FROM s.old_next_secret
          AND d.sealed_headers IS NOT DISTINCT FROM s.old_headers`,
      [
        ...columnsOf(outdated, 'id', 'sealed_secret', 'sealed_next_secret', 'sealed_headers'),
        outdated.map((row) => reseal(box, row.sealed_secret, row.id)),
        outdated.map((row) => reseal(box, row.sealed_next_secret, row.id)),
        outdated.map((row) => reseal(box, row.sealed_headers, row.id)),
      ],
    );
    resealed += rowCount ?? 0;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return resealed;
    afterId = last.id;
  }
}

function isOutdated(box: SecretBox, sealed: Uint8Array | null): boolean {
  return sealed !== null && box.isOutdated(sealed);
}

function reseal(box: SecretBox, sealed: Uint8Array | null, context: string): Buffer | null {
  return sealed === null ? null : Buffer.from(box.seal(box.open(sealed, context), context));
}

interface SealingKeys {
  /** 1 if any secret is sealed with the current key, otherwise 0. */
  readonly current: number;
  readonly retired: number;
  /** One message for each key whose secret could not be opened. Messages contain no secrets. */
  readonly unopened: readonly string[];
}

/** Opens one secret per key. The sealed bytes contain the key's id (secret-box.ts). */
export async function readSealingKeys({ pool }: Database, box: SecretBox): Promise<SealingKeys> {
  const { rows } = await pool.query<{ id: string; sealed: Uint8Array }>(`
    SELECT DISTINCT ON (substring(sealed FROM 1 FOR 9)) id, sealed
      FROM (SELECT id, sealed_secret AS sealed FROM destinations WHERE sealed_secret IS NOT NULL
            UNION ALL
            SELECT id, sealed_next_secret FROM destinations WHERE sealed_next_secret IS NOT NULL
            UNION ALL
            SELECT id, sealed_headers FROM destinations WHERE sealed_headers IS NOT NULL) AS secrets`);
  let [current, retired] = [0, 0];
  const unopened: string[] = [];
  for (const { id, sealed } of rows) {
    try {
      box.open(sealed, id);
      if (box.isOutdated(sealed)) retired += 1;
      else current += 1;
    } catch (error) {
      unopened.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { current, retired, unopened };
}
