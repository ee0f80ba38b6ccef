import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { brokenPromises, statement } from '../ledger/statement.js';
import { MoodyTemper, statesOf, untilOff } from '../scenarios/switch-off.js';
import { useChaosStack } from '../stage/on-stack.js';
import { untilSettled, withScene } from '../stage/scene.js';

/** With half of the default delays, pauses last 0.5 s to 30 s, and the switch-off takes half the time. */
const stack = useChaosStack(() => ({ WEBHOOK_RETRY_DELAYS: '30s,60s,90s,120s', WEBHOOK_SWITCH_OFF_AFTER: '20' }));
const rules = { retryDelaysMs: [30_000, 60_000, 90_000, 120_000] };
/** The default delays would need ten minutes. */
const offWithinMs = 300_000;

test('a receiver that restarts under load is not switched off and gets every change exactly once', async () => {
  const moody = new MoodyTemper();
  moody.recover();
  await withScene(
    stack(),
    [{ name: 'restarting', temper: moody.temper }],
    async (scene) => {
      const { ledger, source } = scene;
      const destinationId = ledger.destinations[0]?.destinationId ?? '';
      const reporting = new AbortController();
      const reported = source.keepReporting(5, 100, reporting.signal);
      for (let restart = 0; restart < 2; restart += 1) {
        await sleep(3_000);
        moody.fail();
        await sleep(6_000);
        moody.recover();
      }
      await sleep(3_000);
      reporting.abort();
      await reported;
      await untilSettled(scene);
      const final = await scene.account();
      process.stdout.write(`${statement('a receiver that restarts under load', final)}\n`);
      expect(brokenPromises(final)).toEqual([]);
      expect(await statesOf(stack(), destinationId)).toMatchObject({ pending: 0, failed: 0, skipped: 0 });
      const { rows } = await stack().pool.query(
        `SELECT state, consecutive_failures AS run,
              (SELECT count(*)::int FROM destination_notices n WHERE n.destination_id = t.id AND kind = 'switched_off') AS offs
         FROM destinations t WHERE id = $1`,
        [destinationId],
      );
      expect(rows).toEqual([{ state: 'active', run: 0, offs: 0 }]);
    },
    rules,
  );
}, 600_000);

test('a receiver that stays down is switched off once and on time, after exactly 20 failures', async () => {
  const dead = new MoodyTemper();
  await withScene(stack(), [{ name: 'dead', temper: dead.temper }], async ({ ledger, source }) => {
    const destinationId = ledger.destinations[0]?.destinationId ?? '';
    const reportedAtMs = Date.now();
    await source.report(200);
    const off = await untilOff(stack(), destinationId, offWithinMs);
    expect(off.consecutiveFailures).toBe(20);
    expect(off.switchedOffAtMs - reportedAtMs).toBeLessThan(offWithinMs);
    expect(await statesOf(stack(), destinationId)).toMatchObject({ pending: 0, succeeded: 0, failed: 0, skipped: 200 });
    const { rows } = await stack().pool.query(
      `SELECT kind, consecutive_failures AS run FROM destination_notices WHERE destination_id = $1 ORDER BY run`,
      [destinationId],
    );
    expect(rows).toEqual([
      { kind: 'warning', run: 10 },
      { kind: 'warning', run: 15 },
      { kind: 'switched_off', run: 20 },
    ]);
    process.stdout.write(`off after ${off.switchedOffAtMs - reportedAtMs} ms and ${ledger.seen.length} requests\n`);
  });
}, 600_000);
