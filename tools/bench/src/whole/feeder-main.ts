import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../delivery/report-and-receive.js';
import { HttpConnection } from '../load/http-connection.js';
import { serveParent } from '../processes/measured-main.js';

/**
 * Reports changes when it receives the message `feed`. It runs as a separate process so that its CPU time is counted
 * separately.
 * Settings: PORT, TOKEN, ARTIST, NAME (prefix of the ids), CHANGES, A_REQUEST (changes per request), CONNECTIONS, TYPES
 * (used in rotation), EVERY_MS (between requests; 0 only waits for the response).
 */
const { PORT = '', TOKEN = '', ARTIST = '', NAME = '', TYPES = '' } = process.env;
const [changes, aRequest, connections, everyMs] = ['CHANGES', 'A_REQUEST', 'CONNECTIONS', 'EVERY_MS'].map((name) =>
  Number(process.env[name]),
) as [number, number, number, number];
const types = TYPES.split(',');

const nowMs = () => performance.timeOrigin + performance.now();

function change(index: number) {
  return bodyOf({ artist: ARTIST, entityId: `${NAME}-${index}`, type: types[index % types.length] ?? '' });
}

function requestOf(from: number): Buffer {
  const count = Math.min(aRequest, changes - from);
  const body = JSON.stringify({ changes: Array.from({ length: count }, (_, index) => change(from + index)) });
  const head = `POST /ingest/v1/changes HTTP/1.1\r\nHost: 127.0.0.1:${PORT}\r\nAuthorization: Bearer ${TOKEN}\r\n`;
  return Buffer.from(
    `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function feed() {
  const requests = Array.from({ length: Math.ceil(changes / aRequest) }, (_, index) => requestOf(index * aRequest));
  const answeredAtMs: number[] = [];
  let next = 0;
  const startedAtMs = nowMs();
  const cpuBefore = process.cpuUsage();
  const sendNext = async () => {
    const connection = await HttpConnection.open(Number(PORT));
    for (let index = next++; index < requests.length; index = next++) {
      if (everyMs > 0) await sleep(Math.max(0, startedAtMs + index * everyMs - nowMs()));
      const status = await connection.request(requests[index] as Buffer);
      if (status !== 202) throw new Error(`change-ingest responded with ${status}.`);
      answeredAtMs[index] = nowMs();
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: Math.min(connections, requests.length) }, sendNext));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { startedAtMs, tookMs: nowMs() - startedAtMs, cpuMs: (user + system) / 1_000, answeredAtMs };
}

serveParent({}, { feed });
