import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationList, SchemasContainer } from '@prisma/schema-engine-wasm';

const prismaDirectory = fileURLToPath(new URL('../../../../prisma/', import.meta.url));
const migrationsDirectory = path.join(prismaDirectory, 'migrations');

/** The forward-only migrations of `prisma/migrations`, oldest first, in the schema engine's shape. */
export async function readMigrations(): Promise<MigrationList> {
  const entries = await readdir(migrationsDirectory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: {
          tag: 'ok' as const,
          value: await readFile(path.join(migrationsDirectory, name, 'migration.sql'), 'utf8'),
        },
      },
    })),
  );
  return {
    baseDir: migrationsDirectory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

/** `prisma/schema.prisma`, in the schema engine's shape. */
export async function readSchema(): Promise<SchemasContainer> {
  const file = path.join(prismaDirectory, 'schema.prisma');
  return { files: [{ path: file, content: await readFile(file, 'utf8') }] };
}
