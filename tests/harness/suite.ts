import { Pool } from 'pg';
import type { Cleanup, SuiteAddresses, SuiteResources } from './suite-resources.js';

export interface Suite extends SuiteAddresses {
  /** For rows and questions of the test itself; closed with the suite. */
  readonly pool: Pool;
  /** Called after the last hook of the file, in reverse order; a rejection fails the file. */
  onEnd(cleanup: Cleanup): void;
}

/**
 * A database and a Redis for this test file alone, made on the first call:
 *
 *     const { databaseUrl, redisUrl, pool, onEnd } = await useSuite();
 *
 * They go with the file. A file that leaves a connection, a socket, a server or a child process open fails.
 */
export async function useSuite(): Promise<Suite> {
  const resources = ofThisFile();
  const addresses = await resources.open();
  const pool = new Pool({ connectionString: addresses.databaseUrl, max: 5, application_name: 'test' });
  // Its end does not wait for its sockets, and the database is dropped right afterwards.
  pool.on('error', () => undefined);
  resources.onEnd(() => pool.end());
  return { ...addresses, pool, onEnd: (cleanup) => resources.onEnd(cleanup) };
}

/** The address of a database without a table; dropped with the suite. */
export function createEmptyDatabase(): Promise<string> {
  return ofThisFile().createEmptyDatabase();
}

/** Put there by suite-environment.mjs. */
function ofThisFile(): SuiteResources {
  const { suiteResources } = globalThis as { suiteResources?: SuiteResources };
  if (!suiteResources) throw new Error('This test needs the servers of the jest project "stack".');
  return suiteResources;
}
