import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { clientTypes } from './client-types.js';
import { openApiDocument } from './document.js';

/**
 * `pnpm openapi` writes the document and the types of the client that are made of it; `pnpm openapi --check` refuses
 * what is not what the schemas say.
 */
const document = openApiDocument();
const files = new Map([
  ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['packages/client/src/generated/api.ts', clientTypes(document)],
]);

for (const [name, content] of files) {
  const file = fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
  if (!process.argv.includes('--check')) {
    await writeFile(file, content);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== content) {
    process.stderr.write(`${name} is not what packages/contracts says; run "pnpm openapi".\n`);
    process.exitCode = 1;
  }
}
