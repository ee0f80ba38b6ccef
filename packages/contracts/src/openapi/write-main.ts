import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from './document.js';

/** `pnpm openapi` writes docs/openapi.json; `pnpm openapi --check` refuses one that is not what the schemas say. */
const file = fileURLToPath(new URL('../../../../docs/openapi.json', import.meta.url));
const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

if (process.argv.includes('--check')) {
  const committed = await readFile(file, 'utf8').catch(() => '');
  if (committed !== document) {
    process.stderr.write('docs/openapi.json is not what packages/contracts says; run "pnpm openapi".\n');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, document);
}
