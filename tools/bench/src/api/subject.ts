import { getRequest } from '../load/http-connection.js';
import { saturate, type Target } from '../load/load.js';
import type { BenchServers } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { MAX_PAGE_ITEMS, type Reader, recordMore } from './dataset.js';
import type { Installation } from './installation.js';
import type { ApiBenchRun } from './run.js';

export interface Subject extends Target {
  readonly name: string;
  readonly server: MeasuredProcess;
}

export function changesSubject(name: string, server: MeasuredProcess, readers: readonly Reader[]): Subject {
  const requests = readers.map(({ key }) => withKey(key));
  return { name, server, port: portOf(server), requests, status: 200 };
}

export function pollSubject(name: string, server: MeasuredProcess, readers: readonly Reader[]): Subject {
  const requests = readers.map(({ key }) => withKey(key, `?since=${new Date().toISOString()}`));
  return { name, server, port: portOf(server), requests, status: 200 };
}

/** Each request reads a full page after a cursor. */
export async function afterSubject(
  name: string,
  { openPool }: BenchServers,
  { databaseUrl, dataset: { ofOneArtist: readers }, startApi }: Installation,
): Promise<Subject> {
  const server = await startApi();
  const read = async ({ key }: Reader, after: string) => {
    const url = `http://127.0.0.1:${portOf(server)}/v1/changes?after=${after}`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    return (await response.json()) as { readonly data: readonly unknown[]; readonly next_cursor: string };
  };
  const requests: Uint8Array[] = [];
  for (const reader of readers) {
    const { next_cursor: cursor } = await read(reader, 'now');
    await recordMore(openPool(databaseUrl, 1), reader.accountId);
    const { length } = (await read(reader, cursor)).data;
    if (length < MAX_PAGE_ITEMS) throw new Error(`The page has ${length} changes.`);
    requests.push(withKey(reader.key, `?after=${cursor}`));
  }
  return { name, server, port: portOf(server), requests, status: 200 };
}

const MALFORMED_KEY = 'aw_live_abcdefghijklmnopqrstuvwxyz0123456789';

export function malformedKeySubject(name: string, server: MeasuredProcess): Subject {
  return { name, server, port: portOf(server), requests: [withKey(MALFORMED_KEY)], status: 401 };
}

export function bareExpressSubject(name: string, server: MeasuredProcess, path: string, status: number): Subject {
  return { name, server, port: portOf(server), requests: [getRequest(path)], status };
}

const MAX_WARM_UP_MS = 10_000;

export async function warmUp(subject: Subject, { servers, extent }: ApiBenchRun): Promise<void> {
  const { connections, warmUpAnswers, roundMs } = extent;
  await servers.redis.flushdb();
  const endsAtMs = performance.now() + MAX_WARM_UP_MS;
  for (let answers = 0; answers < warmUpAnswers && performance.now() < endsAtMs; ) {
    answers += (await saturate(subject, connections, roundMs)).answered;
  }
}

function withKey(key: string, query = ''): Uint8Array {
  return getRequest(`/v1/changes${query}`, { Authorization: `Bearer ${key}` });
}

function portOf({ addresses }: MeasuredProcess): number {
  return Number(addresses.api);
}
