import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { startIngestServer } from './ingest-server.js';

test('an idle connection outlives the minute for which load balancers keep theirs', async () => {
  const never = new AbortController().signal;
  const server = await startIngestServer((_request, response) => response.end(), {
    port: 0,
    host: '127.0.0.1',
    stopping: never,
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
