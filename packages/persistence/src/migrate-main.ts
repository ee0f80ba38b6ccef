import { openDatabase } from './database/database.js';
import { reachDatabase } from './database/reach-database.js';
import { migrate } from './migration/migrate.js';

/** `pnpm migrate`, and what the migration Job of a cluster runs: DATABASE_URL to the newest migration. */
const databaseUrl = process.env.DATABASE_URL;
try {
  if (!databaseUrl) throw new Error('DATABASE_URL is missing.');
  await reach(databaseUrl);
  const { applied } = await migrate(databaseUrl);
  process.stdout.write(applied.length === 0 ? 'Nothing to apply.\n' : `Applied ${applied.join(', ')}.\n`);
} catch (error) {
  process.stderr.write(`Migration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** A pooler of transactions would keep the lock of a migration in a session that nobody has any more: the next one waits for it. */
async function reach(url: string): Promise<void> {
  const database = openDatabase({ url, applicationName: 'artist-watch-migrate', poolSize: 2 });
  try {
    await reachDatabase(database, url);
  } finally {
    await database.close();
  }
}
