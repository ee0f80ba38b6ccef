import type pg from 'pg';

/** What a session begins with, by name, as pg_settings has it: durations in milliseconds. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** Without those that the address sets itself, in its `options` or as a parameter of its own. */
export function notSetBy(address: string, settings: SessionSettings): SessionSettings {
  // PostgreSQL takes `--random-page-cost` for `-c random_page_cost`, and capitals for small letters.
  const said = address.toLowerCase().replaceAll('-', '_');
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !said.includes(name.toLowerCase())));
}

/** Sets them by a statement: a start-up parameter does not pass PgBouncer, and would need a role of its own per service. */
export async function setInSession(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  await client.query('SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS t (name, value)', [
    Object.keys(settings),
    Object.values(settings).map(String),
  ]);
}

/**
 * Whether two sessions at once have the same connection to the server, as behind a pooler that pools transactions:
 * settings and prepared statements would then belong to whoever comes next.
 */
export async function sessionsAreShared(pool: pg.Pool): Promise<boolean> {
  if (pool.options.max < 2) return false;
  const clients: pg.PoolClient[] = [];
  try {
    const pids: unknown[] = [];
    for (let session = 0; session < 2; session++) {
      const client = await pool.connect();
      clients.push(client);
      pids.push((await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid);
    }
    return pids[0] === pids[1];
  } finally {
    for (const client of clients) client.release();
  }
}
