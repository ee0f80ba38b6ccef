import { compose as composeApi } from '@artist-watch/api/compose';
import { readConfig as readApiConfig } from '@artist-watch/api/config';
import { seedKey, startApi } from '@artist-watch/harness/api-fixtures';
import { startReceiver } from '@artist-watch/harness/receiver';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { startDeliveryStack } from './delivery-stack.js';

/** docs/receivers describes these steps. */
test('a destination that was switched off after failures can be tested, enabled and recovered, and gets each change once', async () => {
  const suite = await useSuite();
  const proxy = await startScriptedProxy();
  suite.onEnd(() => proxy.close());
  const target = await startReceiver({ script: { status: 503 } });
  suite.onEnd(() => target.close());
  // No sweep runs during the test, although the earlier job of the recovered delivery is still delayed.
  const stack = await startDeliveryStack({ proxyUrls: [proxy.url], sweepIntervalMs: 600_000 });
  await stack.startWorker({ WEBHOOK_RETRY_DELAYS: '1m' });
  const api = await startApi(suite, (env, signal) => composeApi(readApiConfig(env), signal));

  const seeded = await stack.destination({ url: target.url, consecutiveFailures: 18 });
  const { key } = await seedKey(suite.pool, seeded.accountId);
  const call = (method: string, path: string, body?: unknown) =>
    api.call(`/v1${path}`, { method, key, ...(body !== undefined && { body }) });
  const own = `/destinations/${seeded.destinationId}`;
  const shown = async () => (await call('GET', own)).body;
  const statesOf = async () =>
    (await call('GET', `/deliveries?destination=${seeded.destinationId}`)).body.data
      .filter(({ trigger }: { trigger: string }) => trigger !== 'test')
      .map(({ state }: { state: string }) => state);

  const since = new Date(Date.now() - 60_000).toISOString();
  await stack.confirmChanges(seeded, 1);
  await until('a retry to be delayed', async () => (await shown()).consecutive_failures === 19);
  await stack.confirmChanges(seeded, 1);
  await until('the 20th failure to switch the destination off', async () => (await shown()).state === 'off');
  await stack.confirmChanges(seeded, 3);
  await until('the delayed retry to be skipped', async () => !(await statesOf()).includes('pending'));
  expect(await statesOf()).toEqual(Array(5).fill('skipped'));
  const off = await shown();
  const message = 'Switched off after 20 failed attempts in a row; the last response was 503.';
  const data = { code: 'switched_off', consecutive_failures: 20, last_status: 503, last_error: 'unexpected_status' };
  expect(off.warnings).toMatchObject([{ kind: 'switched_off', ...data, message }]);
  expect(off).toMatchObject({ switched_off_reason: message, switched_off: data });
  expect(off.notices).toMatchObject([{ kind: 'switched_off', id: expect.stringMatching(/^ntc_/) }]);
  expect(target.requests).toHaveLength(2);

  const failed = await call('POST', `${own}/test`, { wait_seconds: 10 });
  expect(failed).toMatchObject({ status: 202, body: { state: 'failed', attempts: [{ number: 1, status_code: 503 }] } });
  expect(failed.body.message).toBe('The receiver reported an error (status 503).');
  target.answerWith({ status: 204 });
  expect(await call('POST', `${own}/test`, { wait_seconds: 10 })).toMatchObject({
    status: 202,
    body: { state: 'succeeded', trigger: 'test', attempts: [{ number: 1, outcome: 'succeeded', status_code: 204 }] },
  });
  expect(await shown()).toEqual(off);
  expect(target.requests).toHaveLength(4);
  expect(await call('POST', `${own}/recover`, { since })).toMatchObject({ status: 409 });

  const on = (await call('POST', `${own}/enable`)).body;
  expect(on).toMatchObject({ state: 'active', consecutive_failures: 0, warnings: [] });
  expect(on.notices).toMatchObject([{ kind: 'enabled' }, { kind: 'switched_off' }]);
  expect((await call('POST', `${own}/recover`, { since, dry_run: true })).body).toMatchObject({ recovered: 5 });
  expect(target.requests).toHaveLength(4);

  expect(await call('POST', `${own}/recover`, { since })).toMatchObject({ status: 202, body: { recovered: 5 } });
  await until(
    'every change to be delivered',
    async () => (await statesOf()).every((state: string) => state === 'succeeded'),
    30_000,
  );
  const recovered = target.requests.slice(4).map(({ headers }) => headers['x-service-delivery']);
  expect(recovered).toHaveLength(5);
  expect(new Set(recovered).size).toBe(5);
});
