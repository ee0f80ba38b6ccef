import pg from 'pg';

/** How far the detector has come with a change; customers see it only once it is confirmed. */
export interface Suspicion {
  readonly changeId: string;
  readonly state: string;
  readonly observations: number;
}

/** Looks over the detector's shoulder, into its database. */
export interface SuspicionWindow {
  /** The newest change of that type of an entity of the platform. */
  look(type: string, entityId: string): Promise<Suspicion | undefined>;
  /** How many of the artists have been read completely once. */
  countBaselines(artistIds: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export function openSuspicionWindow(databaseUrl: string): SuspicionWindow {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, application_name: 'demo' });
  pool.on('error', () => undefined);
  return {
    async look(type, entityId) {
      const { rows } = await pool.query<Suspicion>(
        `SELECT id AS "changeId", state::text, jsonb_array_length(observations) AS observations
           FROM changes WHERE type = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 1`,
        [type, entityId],
      );
      return rows[0];
    },
    async countBaselines(artistIds) {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM baselines WHERE artist_id = ANY($1)',
        [artistIds],
      );
      return rows[0]?.count ?? 0;
    },
    close: () => pool.end(),
  };
}
