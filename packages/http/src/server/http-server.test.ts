import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { startHttpServer } from './http-server.js';
import { ContextsInHand } from './parser-refusals.js';

test('an idle connection outlives the minute for which load balancers keep theirs', async () => {
  const never = new AbortController().signal;
  const server = await startHttpServer({
    port: 0,
    portSetting: 'API_PORT',
    host: '127.0.0.1',
    listener: (_request, response) => response.end(),
    stopping: never,
    timeouts: { headersMs: 10_000, requestMs: 10_000, answerMs: 10_000 },
    monotonicMs: () => performance.now(),
    refusals: { inHand: new ContextsInHand(), onRefusal: () => undefined },
    onSlowReader: () => undefined,
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const request = get({ host: '127.0.0.1', port: server.port, agent });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.headers['keep-alive']).toBe('timeout=65');
  } finally {
    agent.destroy();
    await server.stop(never);
  }
});
