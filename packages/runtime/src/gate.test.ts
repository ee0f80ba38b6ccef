import { describe, expect, test } from '@jest/globals';
import { Gate, GateFull, Gates } from './gate.js';

/** Work that ends when it is told to. */
function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

describe('a gate', () => {
  test('lets as many in as it has places, and the others in the order in which they came', async () => {
    const gate = new Gate({ places: 2, maxWaiting: 10, maxWaitMs: 60_000 });
    const inside: number[] = [];
    const works = Array.from({ length: 5 }, held);
    const runs = works.map(({ work }, index) =>
      gate.run(() => {
        inside.push(index);
        return work();
      }),
    );
    expect(inside).toEqual([0, 1]);
    works[1]?.end();
    await runs[1];
    expect(inside).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    await Promise.all(runs);
    expect(inside).toEqual([0, 1, 2, 3, 4]);
    expect(gate.isEmpty).toBe(true);
  });

  test('refuses at once whoever is one too many, and does none of his work', async () => {
    const gate = new Gate({ places: 1, maxWaiting: 1, maxWaitMs: 60_000 });
    const { work, end } = held();
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

  test('refuses whoever has waited too long, and lets the next one in', async () => {
    const gate = new Gate({ places: 1, maxWaiting: 10, maxWaitMs: 1 });
    const { work, end } = held();
    const first = gate.run(work);
    await expect(gate.run(async () => 'late')).rejects.toThrow(GateFull);
    end();
    await first;
    expect(await gate.run(async () => 'in time')).toBe('in time');
  });

  test('gives the place of work that fails to the next one', async () => {
    const gate = new Gate({ places: 1, maxWaiting: 10, maxWaitMs: 60_000 });
    const failing = gate.run(() => Promise.reject(new Error('failed')));
    const next = gate.run(async () => 'done');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('done');
    expect(gate.isEmpty).toBe(true);
  });
});

test('whoever waits at the gate of one name keeps nobody of another name waiting', async () => {
  const gates = new Gates({ places: 1, maxWaiting: 10, maxWaitMs: 60_000 });
  const { work, end } = held();
  const first = gates.run('a', work);
  const second = gates.run('a', async () => 'second');
  expect(await gates.run('b', async () => 'other')).toBe('other');
  end();
  expect(await Promise.all([first, second])).toEqual([undefined, 'second']);
});
