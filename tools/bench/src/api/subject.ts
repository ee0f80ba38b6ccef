import { getRequest } from '../load/http-connection.js';
import { saturate, type Target } from '../load/load.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import type { Reader } from './dataset.js';
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
