import type { Database } from '../database/database.js';
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
        outdated.map((row) => row.id),
        outdated.map((row) => row.sealed_secret),
        outdated.map((row) => row.sealed_next_secret),
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
