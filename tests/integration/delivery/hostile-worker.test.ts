import { startReceiver } from '@artist-watch/harness/receiver';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { startDeliveryStack } from './delivery-stack.js';
import { drip, flood, type Hostility, say, sayAndClose, startHostileReceiver } from './hostile-receiver.js';

const ok = 'HTTP/1.1 200 OK\r\n';
const hostilities: Readonly<Record<string, Hostility>> = {
  timed_out: drip(`${ok}X-A: ${'b'.repeat(1_000)}`, 20),
  headers_too_large: flood(ok, 'X-Flood: of headers\r\n'),
  malformed_answer: flood('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  unexpected_status: flood('HTTP/1.1 503 No\r\n\r\n', 'no '),
  connection_closed: sayAndClose(''),
  connection_reset: (socket) => void socket.resetAndDestroy(),
  silent: say(),
};
const changes = 12;

test('a worker beset by hostile receivers charges each with what it does, and serves the healthy one', async () => {
  const proxy = await startScriptedProxy();
  const stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
  const worker = await stack.startWorker({
    WEBHOOK_CONCURRENCY: '16',
    WEBHOOK_TIMEOUT: '300ms',
    WEBHOOK_RETRY_DELAYS: '1h',
    WEBHOOK_SWITCH_OFF_AFTER: '1000',
  });
  const receivers = await Promise.all(
    Object.entries(hostilities).map(async ([error, hostility]) => {
      const receiver = await startHostileReceiver(hostility);
      const seeded = await stack.destination({ url: receiver.url });
      return { error: error === 'silent' ? 'timed_out' : error, receiver, seeded };
    }),
  );
  const healthy = await startReceiver();
  try {
    const target = await stack.destination({ url: healthy.url });
    await Promise.all(
      [...receivers.map(({ seeded }) => seeded), target].map((it) => stack.confirmChanges(it, changes)),
    );
    await healthy.waitFor(changes);
    for (const { error, seeded } of receivers) {
      const attempts = await until(
        'its attempts',
        async () => {
          const { rows } = await stack.pool.query<{ error: string; blame: string }>(
            `SELECT a.error, a.blame FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
            WHERE d.destination_id = $1`,
            [seeded.destinationId],
          );
          return rows.length === changes && rows;
        },
        60_000,
      );
      expect(attempts).toEqual(attempts.map(() => ({ error, blame: 'receiver' })));
    }
  } finally {
    await worker.stop();
    await Promise.all([healthy.close(), ...receivers.map(({ receiver }) => receiver.close())]);
    await proxy.close();
  }
}, 120_000);
