import type { Database } from '../database/database.js';
import { columnsOf } from '../database/sql-text.js';
import type { SecretBox } from '../secret-box.js';

const PAGE_ROWS = 500;

interface SealedRow {
  readonly id: string;
  readonly sealed_secret: Uint8Array | null;
  readonly sealed_next_secret: Uint8Array | null;
}

/**
 * Seals every secret anew that is still sealed with a retired key, so that the retired key can be thrown away. Safe
 * while everything runs: a destination whose secrets change meanwhile is left as it is, for the next run.
 *
 * @returns of how many destinations.
 * @throws SealError when a secret is sealed with a key that is not at hand.
 */
export async function resealSecrets({ pool }: Database, box: SecretBox): Promise<number> {
  let resealed = 0;
  for (let afterId = ''; ; ) {
    const { rows } = await pool.query<SealedRow>(
      `SELECT id, sealed_secret, sealed_next_secret FROM destinations
        WHERE id > $1 AND (sealed_secret IS NOT NULL OR sealed_next_secret IS NOT NULL) ORDER BY id LIMIT $2`,
      [afterId, PAGE_ROWS],
    );
    const outdated = rows.filter(
      (row) => isOutdated(box, row.sealed_secret) || isOutdated(box, row.sealed_next_secret),
    );
    const { rowCount } = await pool.query(
      `UPDATE destinations d SET sealed_secret = s.secret, sealed_next_secret = s.next_secret
         FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[])
                AS s (id, old_secret, old_next_secret, secret, next_secret)
        WHERE d.id = s.id
          AND d.sealed_secret IS NOT DISTINCT FROM s.old_secret
          AND d.sealed_next_secret IS NOT DISTINCT FROM s.old_next_secret`,
      [
        ...columnsOf(outdated, 'id', 'sealed_secret', 'sealed_next_secret'),
        outdated.map((row) => sealAnew(box, row.sealed_secret, row.id)),
        outdated.map((row) => sealAnew(box, row.sealed_next_secret, row.id)),
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

function sealAnew(box: SecretBox, sealed: Uint8Array | null, context: string): Buffer | null {
  return sealed === null ? null : Buffer.from(box.seal(box.open(sealed, context), context));
}

/** How the stored signing secrets stand to the keys at hand; one sample of each key that sealed any. */
export interface SealingKeys {
  /** Sealed with the present key. */
  readonly present: number;
  /** Sealed with a retired one that is at hand. */
  readonly retired: number;
  /** Cannot be opened, each with the reason, which says nothing of the secret. */
  readonly unopened: readonly string[];
}

/** Tries one secret for each key that a secret is sealed with; the key's id stands in the sealed bytes (secret-box.ts). */
export async function readSealingKeys({ pool }: Database, box: SecretBox): Promise<SealingKeys> {
  const { rows } = await pool.query<{ id: string; sealed: Uint8Array }>(`
    SELECT DISTINCT ON (substring(sealed FROM 1 FOR 9)) id, sealed
      FROM (SELECT id, sealed_secret AS sealed FROM destinations WHERE sealed_secret IS NOT NULL
            UNION ALL
            SELECT id, sealed_next_secret FROM destinations WHERE sealed_next_secret IS NOT NULL) AS secrets`);
  let [present, retired] = [0, 0];
  const unopened: string[] = [];
  for (const { id, sealed } of rows) {
    try {
      box.open(sealed, id);
      if (box.isOutdated(sealed)) retired += 1;
      else present += 1;
    } catch (error) {
      unopened.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { present, retired, unopened };
}
