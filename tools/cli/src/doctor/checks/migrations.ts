import type { Database } from '@artist-watch/persistence/database/database';
import { readMigrationState } from '@artist-watch/persistence/migration/migration-state';
import { type Finding, fault, ok } from '../finding.js';

/** All applied, none unknown, none half-way, none changed since. */
export async function examineMigrations(database: Database): Promise<Finding[]> {
  const { applied, missing, unknown, unfinished, altered } = await readMigrationState(database);
  const findings: Finding[] = [];
  const report = (what: string, names: readonly string[], mend: string) => {
    if (names.length > 0) findings.push(fault(`migrations.${what}`, `${names.join(', ')}.`, mend));
  };
  report(
    'unfinished',
    unfinished,
    'See what it left behind (docs/runbooks/upgrading.md), mend that, and migrate again.',
  );
  report(
    'missing',
    missing.filter((name) => !unfinished.includes(name)),
    'Run pnpm migrate, or the migration Job, with this DATABASE_URL.',
  );
  report(
    'unknown',
    unknown,
    'The database is newer than this version, or another program has it: use the version that migrated it.',
  );
  report(
    'altered',
    altered,
    'A migration that was applied was edited since: take the released text, and put what is new into one of its own.',
  );
  return findings.length > 0 ? findings : [ok('migrations', `Applied: all ${applied.length}.`)];
}
