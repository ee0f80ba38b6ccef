import { onSuiteServers } from '@artist-watch/harness/stack-process';
import { until } from '@artist-watch/harness/until';
import type { OwnService } from '@artist-watch/local-stack/stack/ready-file';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { brokenPromises } from './ledger/statement.js';
import { type ChaosStack, startChaosStack } from './stage/chaos-stack.js';
import { keepReading, keepReportingOnce } from './stage/followed-load.js';
import { followReadiness } from './stage/followed-service.js';
import { restartReplica } from './stage/rolling-restart.js';
import { untilSettled, withScene } from './stage/scene.js';
import { late, reluctant, slow, steady } from './stage/temper.js';

const services: readonly OwnService[] = ['api', 'changeIngest', 'webhookWorker', 'egressProxy'];
const readers = 4;
/** By then, both workers have processed many deliveries. */
const requestsOfBothWorkers = 100;
const cast = [
  { name: 'steady', temper: steady },
  { name: 'slow', temper: slow },
  { name: 'reluctant', temper: reluctant },
  // This destination has more deliveries than slots, so each worker that stops has some in flight.
  { name: 'late', temper: late },
];

let stack: ChaosStack;
// Production has this deadline. The local stack's default is shorter.
beforeAll(async () => {
  stack = await startChaosStack({ ...(await onSuiteServers()), SHUTDOWN_DEADLINE: '25s' }, { api: 2, dashboards: 0 });
});
afterAll(() => stack?.stop(), 120_000);

test('a rolling restart of every service under load loses no request and sends no delivery twice', async () => {
  const { apiUrls, apiKey, ingestUrls, ingestToken, opsUrls } = await stack.state();
  const api = followReadiness(apiUrls.map((url, index) => ({ url, opsUrl: opsUrls.api[index] ?? '' })));
  const ingest = followReadiness(ingestUrls.map((url, index) => ({ url, opsUrl: opsUrls.changeIngest[index] ?? '' })));
  await withScene(stack, cast, async (scene) => {
    const enough = new AbortController();
    const loads = [
      keepReportingOnce(ingest, { ...scene, ingestToken }, enough.signal),
      ...Array.from({ length: readers }, () => keepReading(api, apiKey, enough.signal)),
    ];
    const descents = [];
    await until(
      'every worker to have requests in flight',
      () => scene.ledger.seen.length > requestsOfBothWorkers,
      60_000,
    );
    try {
      // As in a rollout, all services restart together, and the replicas of each service one after another.
      for (const index of [0, 1]) {
        descents.push(...(await Promise.all(services.map((name) => restartReplica(stack, name, index)))));
      }
    } finally {
      enough.abort();
    }
    const results = await Promise.all(loads);
    await Promise.all([api.stop(), ingest.stop()]);
    await untilSettled(scene);

    // A worker has no clients, so it does not keep serving after SIGTERM and can end before the test reads its
    // readiness.
    const unready = (label: string) => (label.startsWith('webhook-worker') ? expect.any(Boolean) : true);
    expect(descents).toEqual(
      descents.map(({ label }) => ({ label, saidUnready: unready(label), how: 'exited with code 0' })),
    );
    expect(results.flatMap(({ lost }) => lost)).toEqual([]);
    expect(results.every(({ answered }) => answered > 0)).toBe(true);
    const account = await scene.account();
    expect(brokenPromises(account)).toEqual([]);
    expect(account).toMatchObject({ duplicates: 0, delivered: account.expected });
    expect(account.requests).toBe(account.expected + account.retries);
  });
}, 300_000);
