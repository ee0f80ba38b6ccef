import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compose } from '@artist-watch/api/compose';
import { readConfig } from '@artist-watch/api/config';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { systemClock } from '@artist-watch/runtime/clock';
import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { findProgram } from '../../contract/k8s/find-program.js';
import { createIngestFixture, openTestDatabase, TOKEN, watching } from '../change-ingest/ingest-fixture.js';

/** For a long run, set POLLING_CHANGES=10000 and POLLING_MINUTES=10. */
const CHANGES = Number(process.env.POLLING_CHANGES ?? 300);
const MINUTES = Number(process.env.POLLING_MINUTES ?? 0);
const REPORTERS = 8;
const MAX_PAGE = 200;
const DAY_MS = 86_400_000;

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const replicas = [0, 1].map(() => {
  const database = openTestDatabase(suite.databaseUrl);
  suite.onEnd(() => database.close());
  return createIngestFixture(database, systemClock).app;
});

/** Makes transactions commit out of order: each waits after its id is assigned and before it commits. One in ten fails. */
await pool.query(`
  CREATE FUNCTION begin_early() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_current_xact_id(), pg_sleep(random() / 10);
      RETURN NULL;
    END $$;
  CREATE FUNCTION commit_late() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(random() / 5);
      IF random() < 0.1 THEN RAISE EXCEPTION 'This report failed.'; END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER begin_early BEFORE INSERT ON changes EXECUTE FUNCTION begin_early();
  CREATE TRIGGER commit_late AFTER INSERT ON feed_items EXECUTE FUNCTION commit_late()`);

const PYTHON = `
import json, os, time as clock, types, urllib.parse, urllib.request
time = types.SimpleNamespace(sleep=lambda seconds: clock.sleep(seconds / 3000))
def get(path, **query):
    url = os.environ["API"] + path + "?" + urllib.parse.urlencode(query)
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + os.environ["KEY"]})
    return json.load(urllib.request.urlopen(request))
def load_cursor():
    return open("cursor").read() if os.path.exists("cursor") else None
def save_cursor(cursor):
    open("next", "w").write(cursor)
    os.rename("next", "cursor")
    return cursor
def handle(change):
    print(json.dumps(change), flush=True)
`;
const SHELL = `sleep() { command sleep 0.1; }
`;
const NODE = `
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ArtistWatchClient } from '${pathToFileURL(createRequire(import.meta.url).resolve('@artist-watch/client'))}';
const client = new ArtistWatchClient({ baseUrl: process.env.API, apiKey: process.env.KEY });
const loadCursor = () => (existsSync('cursor') ? readFileSync('cursor', 'utf8') : undefined);
const saveCursor = (cursor) => {
  writeFileSync('next', cursor);
  renameSync('next', 'cursor');
};
const handle = (change) => console.log(JSON.stringify(change));
const setTimeout = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms / 3000));
`;

/** The programs are code blocks of our documentation. The texts before them define the functions that they leave open. */
const POLLERS = [
  { language: 'python', needs: ['python3'], args: ['-c'], before: PYTHON, file: 'docs/api/requests.md' },
  { language: 'sh', needs: ['sh', 'curl', 'jq'], args: ['-c'], before: SHELL, file: 'docs/api/requests.md' },
  {
    language: 'ts',
    needs: ['node'],
    args: ['--input-type=module', '-e'],
    before: NODE,
    file: 'packages/client/README.md',
  },
];

interface Poller {
  readonly ids: string[];
  crash(): void;
  stop(): Promise<void>;
}

async function startPoller({ language, needs, args, before, file }: (typeof POLLERS)[number], env: NodeJS.ProcessEnv) {
  const [program = '', ...others] = needs.map((name) => findProgram(name));
  if (program === undefined || others.includes(undefined)) return undefined;
  const text = await readFile(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8');
  const loop = text
    .split('```')
    .find((block) => block.startsWith(`${language}\n`) && /\bafter\b/.test(block))
    ?.slice(language.length);
  const cwd = await mkdtemp(path.join(tmpdir(), 'artist-watch-poller-'));
  const ids: string[] = [];
  const start = () => {
    const child = spawn(program, [...args, `${before}${loop}`], {
      ...{ cwd, env: { ...process.env, ...env }, detached: true },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface(child.stdout).on('line', (line) => ids.push(JSON.parse(line).id));
    return child;
  };
  const kill = () => process.kill(-(child.pid as number), 'SIGKILL');
  let child = start();
  await until('the first cursor', async () => (await readFile(path.join(cwd, 'cursor'), 'utf8')) !== '');
  const poller: Poller = {
    ids,
    crash() {
      kill();
      child = start();
    },
    async stop() {
      const ended = once(child, 'close');
      kill();
      await ended;
      await rm(cwd, { recursive: true });
    },
  };
  return poller;
}

let lastChange = 0;
const newItem = () => {
  lastChange += 1;
  const confirmedMs = Date.now() - (Math.random() < 0.5 ? 0 : Math.random() * 600 * DAY_MS);
  return {
    ...{ external_id: `ext-${lastChange}`, platform: 'deezer', artist_platform_id: '27', artist_name: 'Nina Vale' },
    ...{ type: 'release_removed', entity_type: 'release', entity_id: `${lastChange}`, entity_name: 'Night Drive' },
    detected_at: new Date(confirmedMs - 3_600_000).toISOString(),
    confirmed_at: new Date(confirmedMs).toISOString(),
  };
};

/** Repeats a failed report, as its detector would. */
async function report(app: RequestListener): Promise<void> {
  while (lastChange < CHANGES) {
    const size = Math.min(CHANGES - lastChange, 1 + Math.floor(Math.random() * 8));
    const changes = Array.from({ length: size }, newItem);
    await until('the report', async () => {
      const { status } = await supertest(app)
        .post('/ingest/v1/changes')
        .set('Authorization', `Bearer ${TOKEN}`)
        .send({ changes });
      return status === 202;
    });
    const pauseMs = (MINUTES * 60_000 * REPORTERS * size) / CHANGES;
    await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 * Math.random()));
  }
}

test(
  'the documented pollers miss no change, even if they crash and changes are reported late or concurrently',
  async () => {
    const { accountId, key } = await seedAccount(pool);
    await watching(pool, { accountId, artistPlatformId: '27' });
    const env = { API: `http://127.0.0.1:${api.port}/v1`, KEY: key };
    const started = await Promise.all(POLLERS.map((poller) => startPoller(poller, env)));
    const pollers = started.filter((poller) => poller !== undefined);
    try {
      const reported = Promise.all(
        replicas.flatMap((app) => Array.from({ length: REPORTERS / replicas.length }, () => report(app))),
      );
      for (const poller of pollers) {
        await until('changes', () => poller.ids.length > CHANGES / 10, MINUTES * 60_000 + 30_000);
        poller.crash();
      }
      await reported;
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM changes ORDER BY id');
      const recorded = rows.map(({ id }) => id);
      expect(recorded).toHaveLength(CHANGES);
      for (const { ids } of pollers) {
        await until('every change', () => new Set(ids).size >= CHANGES);
        expect([...new Set(ids)].sort()).toEqual(recorded);
        // Only the page that a poller handled when it crashed comes again.
        expect(ids.length).toBeLessThanOrEqual(CHANGES + MAX_PAGE);
      }
    } finally {
      await Promise.all(pollers.map((poller) => poller.stop()));
    }
  },
  MINUTES * 120_000 + 120_000,
);
