import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { until } from '../harness/until.js';
import { openDocument } from './document-reader.js';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const storyTimeoutMs = 120_000;
const ZONE = 'Europe/Berlin';

interface Start {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<unknown>;
}

const starts: Start[] = [];
afterEach(async () => {
  for (const { child, ended } of starts.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  }
});

/** A terminal also starts a separate process group, which gets Ctrl-C. */
function npmStart(): Start {
  const env = { ...process.env, TZ: ZONE };
  const child = spawn('npm', ['start'], { cwd: checkout, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const start = { child, output: () => Buffer.concat(chunks).toString('utf8'), ended: once(child, 'close') };
  starts.push(start);
  return start;
}

async function toTheEnd({ child, output }: Start): Promise<string> {
  await until(
    'the end of the demo',
    () => {
      if (child.exitCode !== null) throw new Error(output());
      return output().includes('Ctrl-C stops everything') && output().includes('To try:');
    },
    storyTimeoutMs,
  );
  return output();
}

/** /proc has the parent of each process. */
async function descendantsOf(ancestor: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir('/proc')) {
    const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '') : '';
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (stat) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const found: number[] = [];
  const walk = (pid: number) => {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      walk(child);
    }
  };
  walk(ancestor);
  return found;
}

async function zonesOfMembers(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<{ zone: string }>('SELECT zone FROM members')).rows.map(({ zone }) => zone);
  } finally {
    await client.end();
  }
}

type List<Item> = { readonly data: readonly Item[] };

/** This client knows only the OpenAPI document. */
async function expectWholeStory(documentUrl: string, apiKey: string): Promise<void> {
  const api = await openDocument(documentUrl, apiKey);
  const artists = await api.ask<List<{ status: string }>>('listArtists');
  expect(artists.body.data.map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  const changes = await api.ask<List<{ id: string; type: string; summary: string }>>('listChanges');
  expect(changes.body.data.length).toBeGreaterThan(0);
  for (const [place, { id, type, summary }] of changes.body.data.entries()) {
    const { body: change } = await changes.follow('change', place);
    expect(change).toMatchObject({ id, type, summary, origin: 'observed', after: null });
    expect(change.before).toMatchObject({ platform_id: change.entity_id, title: change.entity_name });
    const { body: artist } = await changes.follow('artist', place);
    expect(artist).toMatchObject({ id: change.artist_id, name: change.artist_name });

    type Observation = { observed_at: string; kind: string; text: string; readings: object[] };
    const observations = (change.observations as Observation[]).filter(({ kind }) => kind === 'counted');
    expect(observations.length).toBeGreaterThanOrEqual(3);
    expect(observations.at(0)?.observed_at).toBe(change.detected_at);
    expect(observations.at(-1)?.observed_at).toBe(change.confirmed_at);
    for (const { text, readings } of observations)
      expect([text, readings.length > 0]).toEqual([expect.any(String), true]);

    const deliveries = await changes.follow<List<object>>('deliveries', place);
    const notified = await Promise.all(
      deliveries.body.data.map(async (_, index) => ({
        destination: (await deliveries.follow('destination', index)).body,
        delivery: (await deliveries.follow('delivery', index)).body,
      })),
    );
    expect(notified.map(({ destination }) => destination.kind).sort()).toEqual(['discord', 'slack', 'webhook']);
    for (const { destination, delivery } of notified) {
      expect(delivery).toMatchObject({ destination_id: destination.id, change_id: id, state: 'succeeded' });
      expect(delivery.attempts).toContainEqual(expect.objectContaining({ outcome: 'succeeded' }));
      expect(delivery.change).toMatchObject({ summary });
      expect(JSON.stringify(delivery.request)).toContain(String(change.entity_name));
    }
  }
}

test(
  'two concurrent runs of npm start each show a removed release from detection to delivery, and Ctrl-C ends every process',
  async () => {
    const both = [npmStart(), npmStart()];
    const stories = await Promise.all(both.map(toTheEnd));
    for (const story of stories) {
      const milestones = [
        'REMOVED',
        'DETECTED',
        'CONFIRMED',
        'SIGNED',
        'DELIVERED',
        'SLACK',
        'DISCORD',
        'EMAILED',
        'READ BACK',
      ];
      expect(milestones.map((word) => story.indexOf(word)).every((at, index, all) => at > (all[index - 1] ?? 0))).toBe(
        true,
      );
      expect(story).toMatch(/"change_type":"release_removed"/);
      const [, apiUrl, apiKey] = /API +(http\S+)\s+API key +(aw_live_\S+)/.exec(story) ?? [];
      const [, changePage = '', change] = /(http\S+\/a\/acc_\w+\/changes\/(chg_\w+)) /.exec(story) ?? [];
      expect(story).toContain(`CONFIRMED  ${change},`);
      expect((await fetch(changePage)).url).toContain('/sign-in?to=');
      const response = await fetch(`${apiUrl}/changes`, { headers: { Authorization: `Bearer ${apiKey}` } });
      expect(await response.json()).toMatchObject({ data: [{ type: 'release_removed', severity: 'critical' }] });
      const [, databaseUrl] = /PostgreSQL +(\S+)/.exec(story) ?? [];
      expect(await zonesOfMembers(String(databaseUrl))).toEqual([ZONE]);
      await expectWholeStory(new URL('/docs/openapi.json', apiUrl).href, String(apiKey));
    }
    for (const { child, ended } of both) {
      const pid = child.pid as number;
      const descendants = await descendantsOf(pid);
      expect(descendants.length).toBeGreaterThan(8);
      process.kill(-pid, 'SIGINT');
      await ended;
      await until('all processes to end', async () => {
        const alive = await Promise.all(
          descendants.map((each) => readFile(`/proc/${each}/stat`, 'utf8').catch(() => '')),
        );
        return alive.every((stat) => stat === '' || stat.includes(') Z '));
      });
    }
  },
  2 * storyTimeoutMs,
);
