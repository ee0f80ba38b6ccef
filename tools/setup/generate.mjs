import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes } from './client-types.mjs';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';
import { hashParts, hasStamp, writeStamp } from './stamp.mjs';

const stamp = path.join(root, '.setup', 'generated');
const persistence = path.join(root, 'packages', 'persistence');
const prisma = path.join(persistence, 'node_modules', 'prisma');
const openApiDocument = path.join(root, 'docs', 'openapi.json');
const apiTypes = path.join(root, 'packages', 'client', 'src', 'generated', 'api.ts');

export function areSourcesGenerated() {
  const client = path.join(persistence, 'src', 'generated', 'prisma', 'client.ts');
  return existsSync(client) && existsSync(apiTypes) && hasStamp(stamp, fingerprint());
}

/** Generates the database client and the types of packages/client. */
export async function generateSources() {
  const generated = await run(process.execPath, [path.join(prisma, 'build', 'index.js'), 'generate'], {
    cwd: persistence,
    env: {
      // Names an existing file, so that Prisma does not download an engine, which the generator doesn't need.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      // Disables Prisma's version check and telemetry.
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  });
  if (generated.failed)
    throw new SetupError(`The database client could not be generated:\n${generated.output.trimEnd()}`);
  mkdirSync(path.dirname(apiTypes), { recursive: true });
  writeFileSync(apiTypes, clientTypes(JSON.parse(readFileSync(openApiDocument, 'utf8'))));
  writeStamp(stamp, fingerprint());
}

function fingerprint() {
  const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return hashParts([
    read(path.join(root, 'prisma', 'schema.prisma')),
    read(path.join(persistence, 'prisma.config.ts')),
    read(path.join(prisma, 'package.json')),
    read(openApiDocument),
    read(path.join(import.meta.dirname, 'client-types.mjs')),
  ]);
}
