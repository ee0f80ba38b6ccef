import { Pool } from 'pg';
import type { Cleanup, SuiteAddresses, SuiteResources } from './suite-resources.js';

export interface Suite extends SuiteAddresses {
  /** The suite closes this pool. */
  readonly pool: Pool;
  /** Cleanups run after the file's last hook, in reverse order. A rejection fails the file. */
  onEnd(cleanup: Cleanup): void;
}

/**
 * Creates a database and a Redis for this test file on the first call:
 * const { databaseUrl, redisUrl, pool, onEnd } = await useSuite();
 * A file fails if it leaves a connection, a socket, a server or a child process open.
 */
export async function useSuite(): Promise<Suite> {
  const resources = ofThisFile();
  const addresses = await resources.open();
  const pool = new Pool({ connectionString: addresses.databaseUrl, max: 5, application_name: 'test' });
  // `end()` does not wait until the sockets are closed, and the database is dropped immediately afterwards.
  pool.on('error', () => undefined);
  resources.onEnd(() => pool.end());
  return { ...addresses, pool, onEnd: (cleanup) => resources.onEnd(cleanup) };
}

/** The database has no tables and is dropped at the end of the suite. */
export function createEmptyDatabase(): Promise<string> {
  return ofThisFile().createEmptyDatabase();
}

function ofThisFile(): SuiteResources {
  const { suiteResources } = globalThis as { suiteResources?: SuiteResources };
  if (!suiteResources) throw new Error('This test needs the servers of the jest project "stack".');
  return suiteResources;
}
