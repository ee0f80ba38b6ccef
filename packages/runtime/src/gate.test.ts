import { describe, expect, test } from '@jest/globals';
import { Gate, GateFull, Gates } from './gate.js';

function openWork() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

describe('gates', () => {
  test('concurrent work is limited, and the rest starts in order of arrival', async () => {
    const gate = new Gate({ maxRunning: 2, maxWaiting: 10, maxWaitMs: 60_000 });
    const started: number[] = [];
    const works = Array.from({ length: 5 }, openWork);
    const runs = works.map(({ work }, index) =>
      gate.run(() => {
        started.push(index);
        return work();
      }),
    );
    expect(started).toEqual([0, 1]);
    works[1]?.end();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2, 3, 4]);
    expect(gate.isEmpty).toBe(true);
  });

  test('a caller beyond the limit is rejected immediately, and its work is not started', async () => {
    const gate = new Gate({ maxRunning: 1, maxWaiting: 1, maxWaitMs: 60_000 });
    const { work, end } = openWork();
    const runs = [gate.run(work), gate.run(async () => 'waited')];
    let done = false;
    await expect(
      gate.run(async () => {
        done = true;
      }),
    ).rejects.toThrow(GateFull);
    expect(done).toBe(false);
    end();
    expect(await Promise.all(runs)).toEqual([undefined, 'waited']);
  });

  test('a caller that has waited too long is rejected, and the work of the next caller starts', async () => {
    const gate = new Gate({ maxRunning: 1, maxWaiting: 10, maxWaitMs: 1 });
    const { work, end } = openWork();
    const first = gate.run(work);
    await expect(gate.run(async () => 'late')).rejects.toThrow(GateFull);
    end();
    await first;
    expect(await gate.run(async () => 'in time')).toBe('in time');
  });

  test('the next caller gets the slot of work that fails', async () => {
    const gate = new Gate({ maxRunning: 1, maxWaiting: 10, maxWaitMs: 60_000 });
    const failing = gate.run(() => Promise.reject(new Error('failed')));
    const next = gate.run(async () => 'done');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('done');
    expect(gate.isEmpty).toBe(true);
  });
});

test('callers waiting at one gate do not delay callers at a different gate', async () => {
  const gates = new Gates({ maxRunning: 1, maxWaiting: 10, maxWaitMs: 60_000 });
  const { work, end } = openWork();
  const first = gates.run('a', work);
  const second = gates.run('a', async () => 'second');
  expect(await gates.run('b', async () => 'other')).toBe('other');
  end();
  expect(await Promise.all([first, second])).toEqual([undefined, 'second']);
});
