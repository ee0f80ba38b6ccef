import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-packages-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A customer's first program might look like this. */
const PROGRAMS = {
  client: `
    import { ArtistWatchClient } from '@artist-watch/client';
    const fetch = async (url) => new Response(JSON.stringify({ data: [url], next_cursor: null }));
    const client = new ArtistWatchClient({ baseUrl: 'https://api.example/v1', apiKey: 'aw_live_x', fetch });
    for await (const item of client.artists({ status: 'active' })) console.log(item);`,
  'webhook-signature': `
    import { sign, verify } from '@artist-watch/webhook-signature';
    const header = sign({ body: '{}', secret: 'whsec_0123456789', timestamp: 1795071068 });
    console.log(verify({ header, body: '{}', secret: 'whsec_0123456789', now: 1795071068 }).timestamp);`,
};

const ANSWERS = { client: 'https://api.example/v1/artists?status=active', 'webhook-signature': '1795071068' };

describe.each(['client', 'webhook-signature'] as const)('the package %s', (name) => {
  test('the package works when it is installed from its tarball into an empty folder, without other packages', async () => {
    const folder = path.join(directory, name);
    await mkdir(folder);
    const source = path.join(root, 'packages', name);
    const packed = await run('npm', ['pack', source, '--json', '--pack-destination', folder], { cwd: folder });
    const [{ filename, files }] = JSON.parse(packed.stdout);
    const paths: string[] = files.map((file: { path: string }) => file.path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
    expect(paths.filter((file) => file.includes('.test.') || file.includes('tsbuildinfo'))).toEqual([]);
    await writeFile(path.join(folder, 'package.json'), '{"name":"customer","type":"module","private":true}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: folder });
    await writeFile(path.join(folder, 'program.mjs'), PROGRAMS[name]);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
    expect(stdout.trim()).toBe(ANSWERS[name]);
  });
});
