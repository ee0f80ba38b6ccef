import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { goTools, nodeTools, pythonTools, run } from './tools.js';

const document = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
const timeoutMs = 600_000;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-openapi-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function folder(name: string): Promise<string> {
  const made = path.join(directory, name);
  await mkdir(made);
  return made;
}

async function operationIds(): Promise<string[]> {
  const { paths } = JSON.parse(await readFile(document, 'utf8'));
  return Object.values<Record<string, { operationId: string }>>(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
}

const go = await goTools();
(go === undefined ? test.skip : test)(
  'what oapi-codegen makes by its defaults compiles',
  async () => {
    const cwd = await folder('artistwatch');
    await run(path.join(go as string, 'oapi-codegen'), ['-package', 'artistwatch', '-o', 'client.go', document], {
      cwd,
    });
    await run('go', ['mod', 'init', 'example.invalid/artistwatch'], { cwd });
    await run('go', ['mod', 'tidy'], { cwd });
    await run('go', ['vet', './...'], { cwd });
    const source = await readFile(path.join(cwd, 'client.go'), 'utf8');
    for (const id of await operationIds()) {
      expect(source).toContain(`) ${id.charAt(0).toUpperCase()}${id.slice(1)}WithResponse(`);
    }
  },
  timeoutMs,
);

const python = await pythonTools();
(python === undefined ? test.skip : test)(
  'what openapi-python-client makes is imported, module by module',
  async () => {
    const cwd = await folder('python');
    const programs = path.join(python as string, 'bin');
    const name = 'artist_watch_client';
    const args = ['generate', '--path', document, '--meta', 'none', '--output-path', name];
    await run(path.join(programs, 'openapi-python-client'), args, { cwd });
    const program = `
import importlib, pkgutil, ${name} as client
for module in pkgutil.walk_packages(client.__path__, "${name}."):
    importlib.import_module(module.name)
`;
    await run(path.join(programs, 'python'), ['-c', program], { cwd });
    const files = await readdir(path.join(cwd, name, 'api'), { recursive: true });
    const made = new Set(files.map((file) => path.basename(file, '.py').replaceAll('_', '')));
    expect((await operationIds()).filter((id) => !made.has(id.toLowerCase()))).toEqual([]);
  },
  timeoutMs,
);

const node = await nodeTools();
(node === undefined ? test.skip : test)(
  'what openapi-typescript makes is accepted by TypeScript, and types a request',
  async () => {
    const cwd = await folder('typescript');
    const bin = (name: string) => path.join(node as string, 'node_modules', '.bin', name);
    await run(bin('openapi-typescript'), [document, '--output', 'api.ts'], { cwd });
    await writeFile(
      path.join(cwd, 'program.ts'),
      `import type { operations } from './api.js';
       type Changes = operations['listChanges']['responses'][200]['content']['application/json'];
       export const summaries = ({ data }: Changes): string[] => data.map(({ summary }) => summary);`,
    );
    const strict = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
    await run(bin('tsc'), [...strict, 'api.ts', 'program.ts'], { cwd });
  },
  timeoutMs,
);
