import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../../../../prisma/migrations/', import.meta.url));

export interface Migration {
  /** The name of its directory, which begins with its time. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the SQL, in hex, as Prisma computes it. */
  readonly checksum: string;
}

/** The forward-only migrations of `prisma/migrations`, oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
