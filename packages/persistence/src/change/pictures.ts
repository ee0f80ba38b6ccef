import type { Platform } from '@artist-watch/domain/catalogue';
import { CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import type { ChangeId } from '@artist-watch/domain/ids';
import type { PictureProblem, PictureSubject, PictureType } from '@artist-watch/domain/platform/picture-file';
import type pg from 'pg';

export interface PictureReference {
  readonly platform: Platform;
  readonly of: PictureSubject;
  readonly contentId: string;
}

export interface ClaimedPicture extends PictureReference {
  /** Includes this try. */
  readonly tries: number;
}

/** Excludes the bytes. */
export interface PictureRecord {
  readonly contentId: string;
  readonly isKept: boolean;
  readonly problem: PictureProblem | null;
  readonly isAwaited: boolean;
}

interface KeptPicture {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}

/** A removed release's cover is kept too, because the platform may delete it. */
const PICTURE_CHANGES = Object.entries(CHANGE_TYPES).flatMap(([type, { value }]) =>
  value === 'picture' || type === 'release_removed' ? [type] : [],
);

/** Requests the pictures for confirmed changes, including pictures that we had given up on. */
export async function wantPictures(
  client: pg.PoolClient,
  changes: readonly { readonly id: ChangeId; readonly type: string }[],
  now: Date,
): Promise<void> {
  const ids = changes.flatMap(({ id, type }) => (PICTURE_CHANGES.includes(type) ? [id] : []));
  if (ids.length === 0) return;
  // Sort the rows to avoid deadlocks.
  await client.query(
    `INSERT INTO pictures AS p (platform, entity_type, content_id, named_at, next_try_at)
     SELECT a.platform, c.entity_type, named.content_id, max(c.confirmed_at), $2
       FROM changes c JOIN artists a ON a.id = c.artist_id
      CROSS JOIN LATERAL (VALUES (CASE c.type WHEN 'release_removed' THEN c.difference -> 'before' ->> 'artworkId'
                                  ELSE c.difference ->> 'before' END), (c.difference ->> 'after')) AS named (content_id)
      WHERE c.id = ANY($1) AND named.content_id IS NOT NULL
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (platform, entity_type, content_id) DO UPDATE
        SET named_at = greatest(p.named_at, excluded.named_at),
            tries = CASE WHEN p.bytes IS NULL THEN 0 ELSE p.tries END,
            next_try_at = CASE WHEN p.bytes IS NULL THEN excluded.next_try_at END`,
    [ids, now],
  );
}

const IS_THIS = 'platform = $1 AND entity_type = $2 AND content_id = $3';

export type PictureStore = ReturnType<typeof pictureStore>;

export function pictureStore({ pool }: { readonly pool: pg.Pool }) {
  return {
    /** Claims due pictures, longest due first. Other replicas skip these pictures until the lease expires. */
    async claim(options: {
      readonly limit: number;
      readonly leaseMs: number;
      readonly now: Date;
    }): Promise<ClaimedPicture[]> {
      const { limit, leaseMs, now } = options;
      const { rows } = await pool.query<ClaimedPicture>({
        name: 'claim-pictures',
        text: `WITH due AS (
                 SELECT platform, entity_type, content_id FROM pictures WHERE next_try_at <= $1
                  ORDER BY next_try_at LIMIT $2 FOR UPDATE SKIP LOCKED)
               UPDATE pictures p SET tries = tries + 1, next_try_at = $3 FROM due
                WHERE (p.platform, p.entity_type, p.content_id) = (due.platform, due.entity_type, due.content_id)
               RETURNING p.platform, p.entity_type AS "of", p.content_id AS "contentId", p.tries`,
        values: [now, limit, new Date(now.getTime() + leaseMs)],
      });
      return rows;
    },

    async keep({ platform, of, contentId }: PictureReference, { type, bytes }: KeptPicture): Promise<void> {
      await pool.query(
        `UPDATE pictures SET media_type = $4, bytes = $5, problem = NULL, next_try_at = NULL WHERE ${IS_THIS}`,
        [platform, of, contentId, type, bytes],
      );
    },

    async putOff(picture: PictureReference, problem: PictureProblem, nextTryAt: Date | null): Promise<void> {
      const { platform, of, contentId } = picture;
      // Another replica may have fetched the picture after our lease expired.
      const text = `UPDATE pictures SET problem = $4, next_try_at = $5 WHERE ${IS_THIS} AND bytes IS NULL`;
      await pool.query(text, [platform, of, contentId, problem, nextTryAt]);
    },

    async list(
      { platform, of }: Omit<PictureReference, 'contentId'>,
      contentIds: readonly string[],
    ): Promise<PictureRecord[]> {
      if (contentIds.length === 0) return [];
      const { rows } = await pool.query<PictureRecord>(
        `SELECT content_id AS "contentId", media_type IS NOT NULL AS "isKept", problem,
                next_try_at IS NOT NULL AS "isAwaited"
           FROM pictures WHERE platform = $1 AND entity_type = $2 AND content_id = ANY($3)`,
        [platform, of, contentIds],
      );
      return rows;
    },

    async read({ platform, of, contentId }: PictureReference): Promise<KeptPicture | undefined> {
      const { rows } = await pool.query<KeptPicture>(
        `SELECT media_type AS type, bytes FROM pictures WHERE ${IS_THIS} AND bytes IS NOT NULL`,
        [platform, of, contentId],
      );
      return rows[0];
    },
  };
}
