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

const GO_TEST = `package artistwatch

import (
	"encoding/json"
	"testing"

	"github.com/oapi-codegen/nullable"
)

func TestNullDiffersFromAbsence(t *testing.T) {
	bodies := map[string]any{
		\`{"url":"u"}\`:               CreateDestination{Url: "u"},
		\`{"secret":null,"url":"u"}\`: CreateDestination{Url: "u", Secret: nullable.NewNullNullable[string]()},
		\`{"name":null}\`:             UpdateDestination{Name: nullable.NewNullNullable[string]()},
		\`{"min_severity":null}\`:     DestinationRulesInput{MinSeverity: nullable.NewNullNullable[string]()},
	}
	for want, body := range bodies {
		if got, err := json.Marshal(body); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}

func TestValuesThatAreAddedLaterAndLargeCounts(t *testing.T) {
	var change Change
	text := \`{"id":"chg_1","type":"new_type","severity":"fatal","entity_type":"video","before":61234567}\`
	if err := json.Unmarshal([]byte(text), &change); err != nil || string(change.Severity) != "fatal" {
		t.Fatal(change, err)
	}
	again, err := json.Marshal(change.Before)
	if err != nil || string(again) != "61234567" {
		t.Fatal(string(again), err)
	}
	var artist Artist
	if err := json.Unmarshal([]byte(\`{"followers":61234567}\`), &artist); err != nil || artist.Followers != 61234567 {
		t.Fatal(artist.Followers, err)
	}
	var failure Error
	text = \`{"error":{"code":"new_code","message":"m","errors":[{"param":"limit","message":"m"}]}}\`
	if err := json.Unmarshal([]byte(text), &failure); err != nil || failure.Error.Code != "new_code" {
		t.Fatal(failure, err)
	}
}
`;

async function operationIds(): Promise<string[]> {
  const { paths } = JSON.parse(await readFile(document, 'utf8'));
  return Object.values<Record<string, { operationId: string }>>(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
}

/** Clients must be small enough to review. Each limit is a little above the current size. */
const MAX_GO_LINES_PER_OPERATION = 290;
const MAX_PYTHON_FILES = 200;

const go = await goTools();
(go === undefined ? test.skip : test)(
  'oapi-codegen writes a small Go client that compiles, sends null, and accepts values that are added later',
  async () => {
    const cwd = await folder('artistwatch');
    await run(path.join(go as string, 'oapi-codegen'), ['-package', 'artistwatch', '-o', 'client.go', document], {
      cwd,
    });
    const client = path.join(await folder('artistwatchclient'), 'client.go');
    await run(
      path.join(go as string, 'oapi-codegen'),
      ['-generate', 'types,client', '-package', 'artistwatch', '-o', client, document],
      { cwd },
    );
    const lines = (await readFile(client, 'utf8')).split('\n').length;
    const operations = await operationIds();
    expect(lines / operations.length).toBeLessThanOrEqual(MAX_GO_LINES_PER_OPERATION);
    await writeFile(path.join(cwd, 'client_test.go'), GO_TEST);
    await run('go', ['mod', 'init', 'example.invalid/artistwatch'], { cwd });
    await run('go', ['mod', 'tidy'], { cwd });
    await run('go', ['vet', './...'], { cwd });
    await run('go', ['test', './...'], { cwd });
    const source = await readFile(path.join(cwd, 'client.go'), 'utf8');
    for (const id of operations) {
      expect(source).toContain(`) ${id.charAt(0).toUpperCase()}${id.slice(1)}WithResponse(`);
    }
  },
  timeoutMs,
);

const python = await pythonTools();
(python === undefined ? test.skip : test)(
  'openapi-python-client writes few modules, which can all be imported and accept new error codes',
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

from ${name}.models import Error
failure = Error.from_dict({"error": {"code": "new_code", "message": "m"}})
assert failure.error.code == "new_code"
`;
    await run(path.join(programs, 'python'), ['-c', program], { cwd });
    const all = await readdir(path.join(cwd, name), { recursive: true });
    expect(all.filter((file) => file.endsWith('.py')).length).toBeLessThanOrEqual(MAX_PYTHON_FILES);
    const files = await readdir(path.join(cwd, name, 'api'), { recursive: true });
    const made = new Set(files.map((file) => path.basename(file, '.py').replaceAll('_', '')));
    expect((await operationIds()).filter((id) => !made.has(id.toLowerCase()))).toEqual([]);
  },
  timeoutMs,
);

const node = await nodeTools();
(node === undefined ? test.skip : test)(
  'openapi-typescript generates types that compile and that check a request',
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
