import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { findProgram } from '../contract/k8s/find-program.js';
import { onSuiteServers, type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { until } from '../harness/until.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const runbooks = path.join(root, 'docs', 'runbooks');
const timeoutMs = 180_000;

const pages = readdirSync(runbooks).map((file) => ({ file, text: readFileSync(path.join(runbooks, file), 'utf8') }));

/** Blocks in list items lose their indentation. */
function blocksIn(text: string): string[] {
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indentation = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  );
}

/** `pnpm` uses the existing build. Node replaces psql, redis-cli and curl, which may be missing. */
const standIns: Readonly<Record<string, string>> = {
  pnpm: `#!/bin/sh
[ "$2" = migrate ] && exec "${process.execPath}" "${root}packages/persistence/dist/migrate-main.js"
APP="${root}" exec "${root}tools/images/toolbox/pnpm" "$@"
`,
  psql: `#!${process.execPath}
const { Client } = require('${root}tests/node_modules/pg');
const [url, ...args] = process.argv.slice(2);
const client = new Client({ connectionString: url });
client.connect()
  .then(() => client.query(args[args.indexOf('-c') + 1]))
  .then(({ rows }) => { console.log(rows); return client.end(); })
  .catch((error) => { console.error(error.message); process.exit(1); });
`,
  'redis-cli': `#!${process.execPath}
const { Redis } = require('${root}tests/node_modules/ioredis');
const [, url, command, ...args] = process.argv.slice(2);
const redis = new Redis(url, { maxRetriesPerRequest: 0 });
redis.on('error', () => {});
const scan = async () => {
  for await (const keys of redis.scanStream({ match: args[args.indexOf('--pattern') + 1] })) for (const key of keys) console.log(key);
};
const call = async () => {
  const answer = await redis.call(command, ...args);
  console.log(typeof answer === 'string' ? answer : JSON.stringify(answer));
};
(command === '--scan' ? scan() : call())
  .then(() => redis.disconnect())
  .catch((error) => { console.error(error.message); process.exit(1); });
`,
  curl: `#!${process.execPath}
fetch(process.argv.at(-1)).then((answer) => answer.text()).then((text) => process.stdout.write(text));
`,
};

/** These commands cause the problem that a runbook is about. */
const troubles: Readonly<Record<string, string>> = {
  'proxy-pool-blocked.md': 'pnpm --silent cli destination disable --id "$DESTINATION"',
};

let stack: StackProcess;
let programs: string;
let env: Record<string, string>;

function sh(script: string, settings: Record<string, string> = {}): Promise<{ stdout: string }> {
  return run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      ...settings,
      PATH: `${programs}:${process.env.PATH}`,
      PSQL_PAGER: '',
      PGCONNECT_TIMEOUT: '10',
    },
  });
}

/** Reports that all releases except one are missing. Returns the artist's id. */
async function manyVanish({ ingestUrl, ingestToken }: ReadyState): Promise<string> {
  const ids = ['r1', 'r2', 'r3', 'r4'];
  for (const releases of [ids, ids.slice(3)]) {
    const answer = await fetch(`${ingestUrl}/snapshots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ingestToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        platform: 'deezer',
        artist_platform_id: '999999999',
        observed_at: new Date().toISOString(),
        artist: { name: 'An Unwatched Artist' },
        releases: releases.map((platform_id) => ({ platform_id, title: platform_id })),
        gone: { release_ids: ids.filter((id) => !releases.includes(id)) },
      }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const { stdout } = await sh('pnpm --silent cli brake list --json');
  return JSON.parse(stdout).data[0].artist_id;
}

beforeAll(async () => {
  programs = await mkdtemp(path.join(tmpdir(), 'artist-watch-runbooks-'));
  for (const [name, text] of Object.entries(standIns)) {
    if (name !== 'pnpm' && findProgram(name)) continue;
    await writeFile(path.join(programs, name), text);
    await chmod(path.join(programs, name), 0o755);
  }
  // Node decides from package.json how to read a script without an extension.
  await writeFile(path.join(programs, 'package.json'), '{"type":"commonjs"}');

  stack = await startStackProcess({ args: ['--seed', 'demo'], env: await onSuiteServers() });
  const state = await stack.state();
  const ops = (urls: readonly string[]) => urls[0] ?? '';
  env = {
    ...state.env,
    ACCOUNT: state.accountId,
    API_OPS: ops(state.opsUrls.api),
    INGEST_OPS: ops(state.opsUrls.changeIngest),
    WORKER_OPS: ops(state.opsUrls.webhookWorker),
    EGRESS_OPS: ops(state.opsUrls.egressProxy),
    SINCE: new Date(Date.now() - 86_400_000).toISOString(),
  };
  const cli = async (command: string) => JSON.parse((await sh(`pnpm --silent cli ${command} --json`)).stdout);
  const destination = await cli('destination create --account "$ACCOUNT" --url http://127.0.0.1:1024/nobody');
  env.DESTINATION = destination.id;
  env.DELIVERY = (await cli('destination test --id "$DESTINATION"')).id;
  env.ARTIST = await manyVanish(state);
  env.CHANGE = (await cli('brake list')).data[0].id;
  await until('the first attempt', async () => (await cli('delivery show --id "$DELIVERY"')).attempts.length > 0);
}, timeoutMs);

afterAll(async () => {
  await stack?.stop();
  await rm(programs, { recursive: true, force: true });
});

describe('the runbooks', () => {
  test.each(pages.filter(({ text }) => blocksIn(text).length > 0))(
    'every command in $file succeeds on a running stack',
    async ({ file, text }) => {
      const trouble = troubles[file];
      if (trouble) await sh(trouble);
      for (const block of blocksIn(text)) {
        // The output is for people, so only the success of each command is tested.
        await expect(sh(block)).resolves.toBeDefined();
      }
    },
    timeoutMs,
  );

  test("a restore deletes its installation's Redis keys, but no keys of other installations", async () => {
    const page = pages.find(({ file }) => file === 'restoring-a-backup.md')?.text ?? '';
    const [block = ''] = blocksIn(page).filter((each) => each.includes('redis-cli'));
    const restored = `restored-${randomUUID()}`;
    const other = `other-${randomUUID()}`;
    const keys = [`${restored}:requests:acc_1`, `${restored}:webhook-deliveries:1`, `${other}:requests:acc_1`];
    const redis = new Redis(env.REDIS_URL ?? '');
    try {
      await redis.mset(keys.flatMap((key) => [key, '']));
      // The second run finds nothing to delete.
      for (const _ of ['first', 'second']) await sh(block, { REDIS_KEY_PREFIX: restored });
      expect(await Promise.all(keys.map((key) => redis.exists(key)))).toEqual([0, 0, 1]);
    } finally {
      await redis.unlink(...keys);
      redis.disconnect();
    }
  });

  test('the index links to every page, and no link is broken', () => {
    const index = pages.find(({ file }) => file === 'README.md')?.text ?? '';
    for (const { file } of pages) if (file !== 'README.md') expect(index).toContain(`(${file})`);
    for (const { file, text } of pages) {
      for (const [, target = ''] of text.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)) {
        expect([file, target, existsSync(path.join(runbooks, target))]).toEqual([file, target, true]);
      }
    }
  });
});
