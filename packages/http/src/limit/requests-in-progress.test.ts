import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GateFull } from '@artist-watch/runtime/gate';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RequestContext } from '../request-context.js';
import { RequestsInProgress } from './rate-limit.js';

let server: Server;
const arrived: RequestContext[] = [];
beforeEach(async () => {
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    arrived.push(new RequestContext(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  arrived.length = 0;
  server.closeAllConnections();
  server.close();
});

async function arrive() {
  const request = get({ port: (server.address() as AddressInfo).port, agent: false });
  request.on('error', () => undefined);
  const count = arrived.length;
  while (arrived.length === count) await new Promise((resolve) => setImmediate(resolve));
  return { request, context: arrived[count] as RequestContext };
}

const isPending = (entering: Promise<void>) =>
  Promise.race([entering.then(() => false), new Promise<boolean>((resolve) => setImmediate(() => resolve(true)))]);

test("a caller's requests wait only for each other, and are rejected while the caller's queue is full", async () => {
  const requests = new RequestsInProgress({ atOnce: 1, maxWaiting: 1 });
  const [first, second, third, other] = [await arrive(), await arrive(), await arrive(), await arrive()];
  await requests.enter('acc_1', first.context);
  const waiting = requests.enter('acc_1', second.context);
  await expect(requests.enter('acc_1', third.context)).rejects.toThrow(GateFull);
  await requests.enter('acc_2', other.context);
  expect(await isPending(waiting)).toBe(true);
  first.context.send({ status: 200, body: 'done' });
  await waiting;
});

test("a disconnected caller's slot becomes free only when the caller's work ends", async () => {
  const requests = new RequestsInProgress({ atOnce: 1, maxWaiting: 1 });
  const [first, second] = [await arrive(), await arrive()];
  await requests.enter('acc_1', first.context);
  first.request.destroy();
  await once(first.context.response, 'close');
  const waiting = requests.enter('acc_1', second.context);
  expect(await isPending(waiting)).toBe(true);
  first.context.fail(new Error('the caller has disconnected'));
  await waiting;
});
