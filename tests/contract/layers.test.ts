import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const configFile = path.join(root, '.dependency-cruiser.cjs');
const { forbidden } = createRequire(import.meta.url)(configFile) as { forbidden: Array<{ name: string }> };

interface Report {
  readonly modules: ReadonlyArray<{ readonly source: string; readonly dependencies: readonly unknown[] }>;
  readonly summary: {
    readonly violations: ReadonlyArray<{ readonly from: string; readonly rule: { readonly name: string } }>;
  };
}

/** These files break each rule. All are in one directory tree, so each needs a unique name. */
const offences: Record<string, Record<string, string>> = {
  'no-circular': {
    // In a cycle, the first file by name is reported.
    'packages/domain/src/back.ts': "import './there.js';",
    'packages/domain/src/there.ts': "import './back.js';",
  },
  'no-vague-names': {
    'packages/domain/src/vague.ts': "import './helpers.js';",
    'packages/domain/src/helpers.ts': '',
  },
  unresolvable: { 'packages/domain/src/unresolvable.ts': "import './missing.js';" },
  'domain-depends-on-nothing': {
    'packages/domain/src/dependent.ts': "import '../../runtime/src/clock.js';",
    'packages/runtime/src/clock.ts': '',
  },
  'packages-never-import-services-or-tools': {
    'packages/delivery/src/one.ts': "import type { Api } from '../../../services/api/src/api.js';",
    'services/api/src/api.ts': 'export type Api = string;',
  },
  'services-never-import-services': {
    'services/api/src/neighbour.ts': "import '../../webhook-worker/src/two.js';",
    'services/webhook-worker/src/two.ts': '',
  },
  'services-never-import-tools': {
    'services/api/src/tooled.ts': "import '../../../tools/cli/src/two.js';",
    'tools/cli/src/two.ts': '',
  },
  'application-knows-no-adapter': {
    'services/api/src/application/use-case.ts': "import '../adapters/adapter.js';",
    'services/api/src/adapters/adapter.ts': '',
  },
  'application-knows-no-infrastructure': {
    'services/api/src/application/pooled.ts': "import { Pool } from 'pg';\nexport const pool = new Pool();",
    'services/api/node_modules/pg/package.json': '{ "name": "pg", "main": "index.js" }',
    'services/api/node_modules/pg/index.js': 'exports.Pool = class {};',
    'services/api/package.json': '{ "name": "api", "dependencies": { "pg": "*" } }',
  },
  'delivery-decisions-know-no-infrastructure': {
    'packages/delivery/src/delivery-request.ts': "import './queue/two.js';",
    'packages/delivery/src/queue/two.ts': '',
  },
  'adapters-know-no-wiring': {
    'services/api/src/adapters/wired.ts': "import '../compose.js';",
    'services/api/src/compose.ts': '',
  },
  'only-main-imports-compose': { 'services/api/src/config.ts': "import './compose.js';" },
  'views-know-no-server': {
    'services/dashboard/src/pages/members/view.tsx': "import './handler.js';\nexport const view = <p />;",
  },
  'pages-never-import-pages': {
    'services/dashboard/src/pages/members/handler.ts': "import '../artists/query.js';",
    'services/dashboard/src/pages/artists/query.ts': '',
  },
  'pages-know-no-wiring': {
    'services/dashboard/src/pages/members/form.ts': "import '../../adapters/cookies.js';",
    'services/dashboard/src/adapters/cookies.ts': '',
  },
  'nothing-imports-main': {
    'services/webhook-worker/src/config.ts': "import './main.js';",
    'services/webhook-worker/src/main.ts': '',
  },
};

describe('the layer rules', () => {
  let directory: string;
  let refused: string[];

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-layers-'));
    const files = Object.values(offences).flatMap((offence) => Object.entries(offence));
    for (const [file, text] of [...files, ['tests/none.ts', ''] as const]) {
      await mkdir(path.join(directory, path.dirname(file)), { recursive: true });
      await writeFile(path.join(directory, file), text);
    }
    const { summary } = await depcruise(directory);
    refused = summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each(forbidden)('a file that breaks $name is reported under that rule', ({ name }) => {
    const [offender] = Object.keys(offences[name] ?? {});
    expect(refused).toContain(`${name}: ${offender}`);
  });

  // `npm run check`, which runs before the tests, verifies that every source file follows the rules.
  test('imports between source files are found', async () => {
    const { modules } = await depcruise(root, ['packages/delivery']);
    // A parser that cannot read TypeScript finds no imports, and so no violations.
    const sources = modules.filter(({ source }) => source.endsWith('.ts'));
    const imports = sources.reduce((count, { dependencies }) => count + dependencies.length, 0);
    expect(imports).toBeGreaterThan(sources.length);
  });
});

function depcruise(cwd: string, folders = ['packages', 'services', 'tools', 'tests']): Promise<Report> {
  const program = path.join(root, 'node_modules', '.bin', 'depcruise');
  const args = ['--config', configFile, '--output-type', 'json', ...folders];
  return new Promise((resolve, reject) => {
    // A violation also causes a non-zero exit code, so only output other than JSON counts as a failure.
    execFile(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Report);
      } catch {
        reject(new Error(`depcruise printed no report: ${stderr || stdout}`));
      }
    });
  });
}

const services = await readdir(path.join(root, 'services'));

test.each([
  [
    'an application',
    services.map((name) => `services/${name}/src/application`),
    /from '@artist-watch\/persistence\/[^']+';/,
  ],
  [
    'a view of the dashboard',
    ['services/dashboard/src'],
    /from '(@artist-watch\/(persistence|delivery)\/[^']+|[./]+\/(query|application\/page)\.js)';/,
    '.tsx',
  ],
])('%s imports only types from the stores', async (_, folders, store, extension = '.ts') => {
  const filesOf = async (folder: string) => {
    const files = await readdir(path.join(root, folder), { recursive: true }).catch(() => []);
    return files
      .filter((file) => file.endsWith(extension) && !file.endsWith('.test.ts'))
      .map((file) => path.join(root, folder, file));
  };
  const files = (await Promise.all(folders.map(filesOf))).flat();
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const imports = texts.flatMap((text) => text.match(/^import [^;]*;/gm) ?? []).filter((line) => store.test(line));
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((line) => !line.startsWith('import type '))).toEqual([]);
});
