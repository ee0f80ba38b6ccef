import type { Database } from '../database/database.js';
import type { SecretBox } from '../secret-box.js';

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
