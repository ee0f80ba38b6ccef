import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '@artist-watch/harness/until';
import type { ChaosStack } from '../stage/chaos-stack.js';
import type { Temper } from '../stage/temper.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../../tools/cli/dist/main.js', import.meta.url));

export class MoodyTemper {
  #fails = true;
  readonly temper: Temper = () => ({ kind: 'answer', status: this.#fails ? 503 : 204, delayMs: 30 });

  recover(): void {
    this.#fails = false;
  }

  fail(): void {
    this.#fails = true;
  }
}

/** Retries a failed command. Returns the JSON document that it prints. */
export async function cli<Document>(stack: ChaosStack, ...args: string[]): Promise<Document> {
  const { env } = await stack.state();
  const { stdout } = await until(
    args.join(' '),
    () => run(process.execPath, [program, ...args, '--json'], { env: { ...process.env, ...env } }),
    60_000,
  );
  return JSON.parse(stdout) as Document;
}

export interface SwitchedOff {
  readonly switchedOffAtMs: number;
  readonly consecutiveFailures: number;
}

/** Resolves when the destination is switched off and has no pending deliveries. */
export async function untilOff({ pool }: ChaosStack, destinationId: string, withinMs = 90_000): Promise<SwitchedOff> {
  const off = await until(
    'the destination to be switched off',
    async () => {
      const { rows } = await pool.query<{ at_ms: number | null; run: number }>(
        `SELECT (extract(epoch FROM switched_off_at) * 1000)::float8 AS at_ms, consecutive_failures AS run
           FROM destinations WHERE id = $1 AND state = 'off'`,
        [destinationId],
      );
      return rows[0];
    },
    withinMs,
  );
  await until(
    'the deliveries of the destination to be skipped',
    async () => (await statesOf({ pool }, destinationId)).pending === 0,
    90_000,
  );
  return { switchedOffAtMs: off.at_ms ?? Number.NaN, consecutiveFailures: off.run };
}

export async function statesOf({ pool }: Pick<ChaosStack, 'pool'>, destinationId: string) {
  const { rows } = await pool.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM deliveries WHERE destination_id = $1 GROUP BY state',
    [destinationId],
  );
  return {
    pending: 0,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    ...Object.fromEntries(rows.map((row) => [row.state, row.count])),
  };
}

export async function keepKilling(killWorker: (index: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    await sleep(700);
    await killWorker(turn % 2);
  }
}
