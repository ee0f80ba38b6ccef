import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { verify } from '@artist-watch/webhook-signature';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { callJson, reportedRemoval } from '../harness/json-calls.js';
import { type Receiver, startReceiver } from '../harness/receiver.js';
import { type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { until } from '../harness/until.js';

const run = promisify(execFile);
const timeoutMs = 180_000;
const ARTIST = '4050205';
const DETECTED_AT = new Date().toISOString();

let directory: string;
let stack: StackProcess | undefined;
let works: Receiver;
let fails: Receiver;

const start = (data: string) =>
  startStackProcess({
    args: ['--seed', 'empty', '--dashboards', '0', '--data', path.join(directory, data)],
    env: { WEBHOOK_RETRY_DELAYS: '10s,10s,10s,10s,10s' },
  });

const api = ({ apiUrl, apiKey }: ReadyState, resource: string, body?: object) =>
  callJson(body ? 'POST' : 'GET', `${apiUrl}/${resource}`, apiKey, body);

const readAfter = async (state: ReadyState, after: string) =>
  (await api(state, `changes?after=${after}`)) as { readonly data: object[]; readonly next_cursor: string };

const ingest = ({ ingestUrl, ingestToken }: ReadyState, id: string) => {
  const fields = { artist_platform_id: ARTIST, entity_id: id, entity_name: id, detected_at: DETECTED_AT };
  return callJson('POST', `${ingestUrl}/changes`, ingestToken, { changes: [reportedRemoval(id, fields)] });
};

/** Hosting providers also use PostgreSQL's low-level API for backups. */
async function backUp(state: ReadyState, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: state.databaseUrl });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('drill', true)`);
    await mkdir(path.dirname(to), { recursive: true });
    // Files may disappear while they are copied. The write-ahead log has their contents.
    await run('cp', ['-a', from, to]).catch((error) => {
      if (!/No such file/.test(String(error.stderr))) throw error;
    });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
    await run('cp', ['-a', `${from}/pg_wal/.`, path.join(to, 'pg_wal')]);
    const label = path.join(to, 'backup_label');
    await writeFile(label, rows[0].labelfile);
    const { uid, gid } = await stat(path.join(from, 'PG_VERSION'));
    await chown(label, uid, gid);
    await rm(path.join(to, 'postmaster.pid'), { force: true });
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-restore-'));
  works = await startReceiver();
  fails = await startReceiver({ script: { status: 500 } });
});
afterAll(async () => {
  await stack?.stop();
  await Promise.all([works?.close(), fails?.close()]);
  await rm(directory, { recursive: true, force: true });
});

test(
  'a database restored with an empty Redis loses no change, continues every delivery and accepts later changes again',
  async () => {
    stack = await start('original');
    const original = await stack.state();
    await api(original, 'artists', { platform_id: ARTIST });
    await api(original, 'destinations', { url: works.url });
    const { secret } = (await api(original, 'destinations', { url: fails.url })) as { secret: string };
    await ingest(original, 'before');
    const pending = async (state: ReadyState) =>
      ((await api(state, 'deliveries?state=pending')) as { data: object[] }).data;
    await works.waitFor(1);
    const [first] = await fails.waitFor(1);
    await until('both settled attempts', async () => {
      const { data } = (await api(original, 'deliveries')) as { data: { state: string; attempt_count: number }[] };
      return data.length === 2 && data.every(({ state, attempt_count }) => state === 'succeeded' || attempt_count > 0);
    });
    const feed = await api(original, 'changes');
    const { next_cursor: cursor } = await readAfter(original, 'now');

    const cluster = (name: string) => path.join(directory, name, 'postgres', 'data');
    await backUp(original, cluster('original'), cluster('restored'));
    // The runbook also requires a backup of the key that encrypts the signing secrets.
    const secrets = (name: string) => path.join(directory, name, 'secrets.json');
    await run('cp', ['-a', secrets('original'), secrets('restored')]);
    await ingest(original, 'after');
    await until('the later change', async () => JSON.stringify(await api(original, 'changes')).includes('after'));
    // The restored server has never had this position.
    const lost = await until('the later change after the cursor', async () => {
      const page = await readAfter(original, cursor);
      return page.data.length > 0 && page.next_cursor;
    });
    await stack.stop();

    fails.answerWith({ status: 204 });
    const before = { works: works.requests.length, fails: fails.requests.length };
    stack = await start('restored');
    const restored = await stack.state();
    expect(await api(restored, 'changes')).toEqual(feed);
    await until('the retry', () => fails.requests.length > before.fails, 60_000);
    await until('no pending delivery', async () => (await pending(restored)).length === 0);

    const retry = fails.requests[before.fails];
    expect(retry?.headers['x-service-delivery']).toBe(first?.headers['x-service-delivery']);
    expect(retry?.body).toEqual(first?.body);
    const header = retry?.headers['x-service-signature'] ?? '';
    expect(() => verify({ body: retry?.body ?? '', header, secret, now: new Date() })).not.toThrow();
    // Deliveries that had succeeded before the backup are not sent again.
    expect(works.requests).toHaveLength(before.works);

    expect(await ingest(restored, 'before')).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await ingest(restored, 'after')).toMatchObject({ accepted: 1, duplicates: 0 });
    await works.waitFor(before.works + 1);
    for (const kept of [cursor, lost]) {
      await until('the change after the cursor', async () => (await readAfter(restored, kept)).data.length === 1);
    }
  },
  timeoutMs,
);
