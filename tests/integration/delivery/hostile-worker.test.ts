import { gzipSync } from 'node:zlib';
import { createCertificate } from '@artist-watch/harness/certificates';
import { startReceiver } from '@artist-watch/harness/receiver';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { startDeliveryStack } from './delivery-stack.js';
import { drip, flood, type Hostility, say, sayAndClose, startHostileReceiver } from './hostile-receiver.js';

const ok = 'HTTP/1.1 200 OK\r\n';
const no = 'HTTP/1.1 503 No\r\n';
const bomb = gzipSync(Buffer.alloc(50_000_000));
const hostilities: readonly (readonly [error: string, hostility: Hostility])[] = [
  ['timed_out', say()],
  ['timed_out', drip(`${ok}X-A: ${'b'.repeat(1_000)}`, 200)],
  ['headers_too_large', flood('HTTP/1.1 200 ', 'very ')],
  ['unexpected_status', flood(no, 'X-Flood: of headers\r\n')],
  ['unexpected_status', flood(no, `X-Long: ${'a'.repeat(65_536)}\r\n`)],
  ['malformed_answer', flood('', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ['malformed_answer', flood('', 'HTTP/1.1 100 Continue\r\n\r\n')],
  ['unexpected_status', flood(`${no}\r\n`, 'no ')],
  ['unexpected_status', flood(`${no}Content-Length: 100000000\r\n\r\n`, 'x')],
  ['unexpected_status', say(`${no}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`, bomb)],
  ['connection_closed', sayAndClose('')],
  ['connection_reset', (socket) => void socket.resetAndDestroy()],
];
const changes = 5;
/** There are more changes than slots, so later attempts need a slot that a hostile receiver has freed. */
const slots = 4;
/** Kernels and the proxy buffer at most this much. */
const mostBytes = 10_000_000;

test('a worker with hostile receivers counts each failure against its receiver, frees every slot, and delivers to the healthy receiver', async () => {
  const proxy = await startScriptedProxy();
  const stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
  const worker = await stack.startWorker({
    WEBHOOK_CONCURRENCY: String(slots),
    // A TLS handshake can take long on a busy machine.
    WEBHOOK_TIMEOUT: '2s',
    WEBHOOK_RETRY_DELAYS: '1h',
    WEBHOOK_SWITCH_OFF_AFTER: '1000',
  });
  const raw = await Promise.all(
    hostilities.map(async ([error, hostility]) => {
      const receiver = await startHostileReceiver(hostility);
      return { error, receiver, bytesTaken: () => receiver.bytesTaken() };
    }),
  );
  const selfSigned = {
    error: 'certificate_self_signed',
    receiver: await startReceiver({ certificate: await createCertificate(null) }),
    bytesTaken: () => 0,
  };
  const receivers = [...raw, selfSigned];
  const healthy = await startReceiver();
  try {
    // A destination is paused after a failure, so each gets only one change.
    const seeds = await Promise.all(
      receivers.map(({ receiver }) =>
        Promise.all(Array.from({ length: changes }, () => stack.destination({ url: receiver.url }))),
      ),
    );
    const target = await stack.destination({ url: healthy.url });
    await Promise.all([
      ...seeds.flat().map((it) => stack.confirmChanges(it, 1)),
      stack.confirmChanges(target, changes),
    ]);
    await healthy.waitFor(changes, 60_000);
    for (const [index, { error, bytesTaken }] of receivers.entries()) {
      const attempts = await until('its attempts', async () => {
        const { rows } = await stack.pool.query<{ error: string; blame: string }>(
          `SELECT a.error, a.blame FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
            WHERE d.destination_id = ANY($1)`,
          [seeds[index]?.map(({ destinationId }) => destinationId)],
        );
        return rows.length === changes && rows;
      });
      expect(attempts).toEqual(attempts.map(() => ({ error, blame: 'receiver' })));
      expect(bytesTaken()).toBeLessThan(changes * mostBytes);
    }
    // No request is in flight. A slot that was not freed would still be sending.
    await stack.confirmChanges(target, slots);
    await healthy.waitFor(changes + slots, 60_000);
  } finally {
    await worker.stop();
    await Promise.all([healthy.close(), ...receivers.map(({ receiver }) => receiver.close())]);
    await proxy.close();
  }
});
