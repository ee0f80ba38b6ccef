import { migrate } from './migration/migrate.js';

/** `pnpm migrate`, and what the migration Job of a cluster runs: DATABASE_URL to the newest migration. */
const databaseUrl = process.env.DATABASE_URL;
try {
  if (!databaseUrl) throw new Error('DATABASE_URL is missing.');
  const { applied } = await migrate(databaseUrl);
  process.stdout.write(applied.length === 0 ? 'Nothing to apply.\n' : `Applied ${applied.join(', ')}.\n`);
} catch (error) {
  process.stderr.write(`Migration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
