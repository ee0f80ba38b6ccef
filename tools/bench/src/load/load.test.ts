import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { getRequest, HttpConnection } from './http-connection.js';
import { arriveSteadily, saturate } from './load.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const body = 'x'.repeat(300_000);

describe('load', () => {
  test('the load sends its requests in rotation and counts only complete responses', async () => {
    const paths: string[] = [];
    const port = await serve((request, response) => {
      paths.push(request.url ?? '');
      response.setHeader('Content-Length', body.length);
      response.end(body);
    });
    const requests = [getRequest('/a'), getRequest('/b')];
    let answered = 0;
    let latenciesMs: readonly number[] = [];
    // A busy machine may respond to only one request in such a short run.
    for (let durationMs = 50; answered < 2; durationMs *= 2) {
      paths.length = 0;
      ({ answered, latenciesMs } = await saturate({ port, requests, status: 200 }, 1, durationMs));
    }
    expect(paths).toHaveLength(answered);
    expect(latenciesMs).toHaveLength(answered);
    expect(paths.slice(0, 2)).toEqual(['/a', '/b']);
  });

  test('the load accepts a response without a body', async () => {
    const port = await serve((_request, response) => response.writeHead(204).end());
    expect((await saturate({ port, requests: [getRequest('/')], status: 204 }, 2, 20)).answered).toBeGreaterThan(1);
  });

  test('the load ends at the first unexpected response', async () => {
    const port = await serve((_request, response) => response.writeHead(429, { 'Content-Length': 2 }).end('{}'));
    const target = { port, requests: [getRequest('/')], status: 200 };
    await expect(saturate(target, 2, 5_000)).rejects.toThrow('responded with 429 instead of 200');
    await expect(arriveSteadily(target, { perSecond: 1_000, connections: 2, durationMs: 5_000 })).rejects.toThrow(
      'responded with 429',
    );
  });

  test('a request on an idle connection that the server has closed throws an error', async () => {
    const port = await serve((_request, response) => response.writeHead(204, { Connection: 'close' }).end());
    const connection = await HttpConnection.open(port);
    expect(await connection.request(getRequest('/'))).toBe(204);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(connection.request(getRequest('/'))).rejects.toThrow();
  });

  test('the load sends at the requested rate, and latencies include the wait for a connection', async () => {
    const port = await serve((_request, response) => setTimeout(() => response.end('{}'), 20));
    const target = { port, requests: [getRequest('/')], status: 200 };
    const { answered, latenciesMs } = await arriveSteadily(target, { perSecond: 100, connections: 1, durationMs: 100 });
    expect(answered).toBe(10);
    // The first request on a connection is not counted.
    expect(latenciesMs).toHaveLength(9);
    // One connection can handle 50 requests a second, so the last of the ten requests waits for all the others.
    expect(latenciesMs.at(-1)).toBeGreaterThan(Math.max(...latenciesMs.slice(0, 3)));
  });
});
