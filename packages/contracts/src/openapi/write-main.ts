import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { changeTypesPage } from './change-types-page.js';
import { openApiDocument } from './document.js';
import { endpointsPage } from './endpoints-page.js';

/** Writes the generated API files. With `--check`, fails if a file is out of date. */
const document = openApiDocument();
const files = new Map([
  ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['docs/api/changes.md', changeTypesPage()],
  ['docs/api/endpoints.md', endpointsPage(document)],
]);

for (const [name, content] of files) {
  const file = fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
  if (!process.argv.includes('--check')) {
    await writeFile(file, content);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== content) {
    process.stderr.write(`${name} is out of date. Run "pnpm openapi".\n`);
    process.exitCode = 1;
  }
}
