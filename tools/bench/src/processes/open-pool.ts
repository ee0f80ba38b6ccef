import pg from 'pg';

/**
 * Connections that the servers may outlive or not: `end()` of a pool does not wait until its sockets are closed, and the
 * word of a PostgreSQL that stops meanwhile would end a process without a listener for it.
 */
export function openPool(databaseUrl: string, connections: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, application_name: 'bench' });
  pool.on('error', () => undefined);
  return pool;
}
