import { reach, Unusable } from '@artist-watch/runtime/lifecycle/reach';
import type { Database } from './database.js';
import { straySettings } from './session-settings.js';

/** PgBouncer: `unsupported startup parameter: options`; RDS Proxy: `RDS Proxy currently doesn't support command-line options`. */
const REFUSES_PARAMETERS = /startup parameter|command-line options/i;

/**
 * Proves at start that the database answers, and that its sessions have what they ask for when they begin. A pooler in
 * between may refuse that or drop it without a word; then instants would be stored hours off, and no statement would end.
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
    const stray = await straySettings(database.pool, database.asked).catch(explainRefusal);
    if (stray.length > 0) throw new Unusable(onTheWay('dropped', stray.join(', ')));
  });
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof Error && REFUSES_PARAMETERS.test(error.message))) throw error;
  throw new Unusable(onTheWay('refused', error.message), { cause: error });
}

function onTheWay(fate: 'dropped' | 'refused', details: string): string {
  return (
    `what a session asks for at its start is ${fate} on the way (${details}), ` +
    'as by a pooler such as PgBouncer, so connect to PostgreSQL itself'
  );
}
