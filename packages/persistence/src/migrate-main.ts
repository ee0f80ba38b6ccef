import { openDatabase } from './database/database.js';
import { reachDatabase } from './database/reach-database.js';
import { migrate } from './migration/migrate.js';

/** Entry point of `pnpm migrate` and of the migration Job in a cluster. */
const databaseUrl = process.env.DATABASE_URL;
try {
  if (!databaseUrl) throw new Error('DATABASE_URL is missing.');
  await requireSessions(databaseUrl);
  const { applied } = await migrate(databaseUrl);
  process.stdout.write(applied.length === 0 ? 'Nothing to apply.\n' : `Applied ${applied.join(', ')}.\n`);
} catch (error) {
  process.stderr.write(`Migration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Behind a transaction pooler, an abandoned session would keep the migration lock and block the next migration. */
async function requireSessions(url: string): Promise<void> {
  const database = openDatabase({ url, applicationName: 'artist-watch-migrate', poolSize: 2 });
  try {
    await reachDatabase(database, url);
  } finally {
    await database.close();
  }
}
