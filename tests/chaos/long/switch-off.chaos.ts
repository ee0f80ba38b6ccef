import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { brokenPromises, statement } from '../ledger/statement.js';
import { cli, keepKilling, MoodyTemper, statesOf, untilOff } from '../scenarios/switch-off.js';
import { useChaosStack } from '../stage/on-stack.js';
import { withScene } from '../stage/scene.js';

const stack = useChaosStack(() => ({ WEBHOOK_SWITCH_OFF_AFTER: '20', WEBHOOK_CONCURRENCY: '8' }));
const changes = 120;
/** Deliveries that were claimed before the destination was switched off may still be sent. */
const onTheWireMs = 5_000;

test('a destination is switched off once after 20 failures and recovered once, even if workers keep dying', async () => {
  const moody = new MoodyTemper();
  await withScene(stack(), [{ name: 'moody', temper: moody.temper }], async ({ ledger, source, faults, account }) => {
    const { pool } = stack();
    const destinationId = ledger.destinations[0]?.destinationId ?? '';
    const since = new Date(Date.now() - 60_000).toISOString();
    const killing = new AbortController();
    const killed = keepKilling((index) => faults.killReplica('webhookWorker', index), killing.signal);

    await source.report(changes);
    const off = await untilOff(stack(), destinationId);
    expect(off.consecutiveFailures).toBe(20);
    await source.report(10);
    const { failed, ...states } = await statesOf(stack(), destinationId);
    // A few deliveries may have used all five attempts within the twenty failures.
    expect(failed).toBeLessThanOrEqual(4);
    expect(states).toEqual({ pending: 0, succeeded: 0, skipped: changes + 10 - failed });
    const { rows: notices } = await pool.query(
      `SELECT kind, consecutive_failures AS run, count(*)::int FROM destination_notices WHERE destination_id = $1
        GROUP BY kind, run ORDER BY run`,
      [destinationId],
    );
    expect(notices).toEqual([
      { kind: 'warning', run: 10, count: 1 },
      { kind: 'warning', run: 15, count: 1 },
      { kind: 'switched_off', run: 20, count: 1 },
    ]);
    expect(ledger.seen.filter(({ arrivedAtMs }) => arrivedAtMs > off.switchedOffAtMs + onTheWireMs)).toEqual([]);

    moody.recover();
    await cli(stack(), 'destination', 'enable', '--id', destinationId);
    const recover = () =>
      cli<{ recovered: number }>(stack(), 'destination', 'recover', '--id', destinationId, '--since', since);
    const recoveries = await Promise.all([recover(), recover(), recover()]);
    expect(recoveries.reduce((sum, { recovered }) => sum + recovered, 0)).toBe(changes + 10);
    ledger.faults.push({
      what: 'the destination to be off',
      ...{ fromMs: off.switchedOffAtMs, untilMs: Date.now(), effects: new Set(['outage']), inHand: new Set() },
    });
    await until(
      'all deliveries to be recovered',
      async () => (await statesOf(stack(), destinationId)).succeeded === changes + 10,
      180_000,
    );
    killing.abort();
    await killed;

    const final = await account();
    process.stdout.write(`${statement('switched off, enabled and recovered', final)}\n`);
    expect(brokenPromises(final)).toEqual([]);
    const { rows: history } = await pool.query<{ kind: string; reason: string }>(
      'SELECT kind, reason FROM destination_notices WHERE destination_id = $1 ORDER BY at',
      [destinationId],
    );
    expect(history.map(({ kind }) => kind)).toEqual(['warning', 'warning', 'switched_off', 'enabled']);
    expect(history.every(({ reason }) => reason.length > 0)).toBe(true);
  });
}, 600_000);
