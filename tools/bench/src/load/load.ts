import { median, quantile } from '../measuring/statistics.js';
import { HttpConnection } from './http-connection.js';

export interface Target {
  readonly port: number;
  readonly requests: readonly Uint8Array[];
  /** Any other status ends the benchmark, because fast rejections would look like a fast server. */
  readonly status: number;
}

export interface LoadResult {
  readonly answered: number;
  readonly durationMs: number;
  readonly latenciesMs: readonly number[];
}

/** Each connection sends its next request as soon as it has received a response. */
export async function saturate(target: Target, connections: number, durationMs: number): Promise<LoadResult> {
  return withConnections(target.port, connections, async (opened) => {
    const ask = asker(target);
    const startedAtMs = performance.now();
    const endsAtMs = startedAtMs + durationMs;
    await Promise.all(
      opened.map(async (connection) => {
        while (performance.now() < endsAtMs) await ask(connection);
      }),
    );
    return ask.result(startedAtMs);
  });
}

/**
 * Sends requests at a fixed rate. The latency includes the time spent waiting for a free connection (no coordinated
 * omission).
 * @param connections must be enough for all concurrent requests. The latency of each connection's first request is left out.
 */
export async function arriveSteadily(
  target: Target,
  { perSecond, connections, durationMs }: { perSecond: number; connections: number; durationMs: number },
): Promise<LoadResult> {
  return withConnections(target.port, connections, async (opened) => {
    const ask = asker(target);
    const free = [...opened];
    const waiting: number[] = [];
    const asked: Promise<void>[] = [];
    let failure: unknown;
    const startedAtMs = performance.now();

    const send = (connection: HttpConnection, arrivedAtMs: number): Promise<void> =>
      ask(connection, arrivedAtMs).then(() => {
        const next = waiting.shift();
        if (next !== undefined) return send(connection, next);
        free.push(connection);
        return undefined;
      });
    const total = Math.floor((durationMs / 1000) * perSecond);
    for (let sent = 0; sent < total; ) {
      const nowMs = performance.now();
      const due = Math.min(total, Math.floor(((nowMs - startedAtMs) / 1000) * perSecond) + 1);
      for (; sent < due; sent += 1) {
        // Using the connections in rotation keeps the server from closing them as idle.
        const connection = free.shift();
        if (!connection) waiting.push(nowMs);
        else
          asked.push(
            send(connection, nowMs).catch((error: unknown) => {
              failure ??= error;
            }),
          );
      }
      if (failure) throw failure;
      await new Promise((resolve) => setTimeout(resolve, startedAtMs + (sent / perSecond) * 1000 - performance.now()));
    }
    await Promise.all(asked);
    if (failure) throw failure;
    const result = ask.result(startedAtMs);
    return total > connections ? { ...result, latenciesMs: result.latenciesMs.slice(connections) } : result;
  });
}

export function latencyFigures({ latenciesMs }: LoadResult): { readonly p50Ms: number; readonly p99Ms: number } {
  return { p50Ms: median(latenciesMs), p99Ms: quantile(latenciesMs, 0.99) };
}

function asker({ requests, status }: Target) {
  const latenciesMs: number[] = [];
  let turn = 0;
  const ask = async (connection: HttpConnection, arrivedAtMs = performance.now()) => {
    const request = requests[turn % requests.length] as Uint8Array;
    turn += 1;
    const answered = await connection.request(request);
    if (answered !== status) throw new Error(`The server responded with ${answered} instead of ${status}.`);
    latenciesMs.push(performance.now() - arrivedAtMs);
  };
  ask.result = (startedAtMs: number): LoadResult => ({
    answered: latenciesMs.length,
    durationMs: performance.now() - startedAtMs,
    latenciesMs,
  });
  return ask;
}

async function withConnections<Result>(
  port: number,
  count: number,
  work: (connections: readonly HttpConnection[]) => Promise<Result>,
): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: count }, () => HttpConnection.open(port)));
  try {
    return await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}
