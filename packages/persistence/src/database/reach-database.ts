import { reach, Unusable } from '@artist-watch/runtime/lifecycle/reach';
import type { Database } from './database.js';
import { sessionsAreShared } from './session-settings.js';

/** PgBouncer: `unsupported startup parameter: options`; RDS Proxy: `RDS Proxy currently doesn't support command-line options`. */
const REFUSES_PARAMETERS = /startup parameter|command-line options/i;

/**
 * Proves at start that the database answers, and that each session has a connection of its own to the server.
 *
 * @param url the value of DATABASE_URL; only its host and port are ever shown.
 * @param timeoutMs 10 s unless given.
 * @throws a StartError, one sentence.
 */
export function reachDatabase(database: Database, url: string, timeoutMs?: number): Promise<void> {
  const dependency = {
    what: 'PostgreSQL',
    setting: 'DATABASE_URL',
    url,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return reach(dependency, async () => {
    if (await sessionsAreShared(database.pool).catch(explainRefusal)) {
      throw new Unusable(
        'a pooler in between gives one connection to several sessions; set it to session pooling (PgBouncer: ' +
          'pool_mode = session), or connect to PostgreSQL itself',
      );
    }
  });
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof Error && REFUSES_PARAMETERS.test(error.message))) throw error;
  throw new Unusable(
    `a pooler in between refuses a parameter that DATABASE_URL sets (${error.message}); take it out of the address`,
    { cause: error },
  );
}
