import { expect, test } from '@jest/globals';
import { sparingly } from './sparingly.js';

function recorder() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const note = sparingly(
    (error, unsaid) => lines.push(`${(error as Error).message} ${unsaid}`),
    () => clock.ms,
  );
  return { lines, clock, note: (message: string) => note(new Error(message)) };
}

test('the same trouble is written once a second, with how often it came since', () => {
  const { lines, clock, note } = recorder();
  for (let time = 0; time < 1_000; time += 1) note('OOM');
  expect(lines).toEqual(['OOM 0']);
  clock.ms = 1_000;
  note('OOM');
  note('OOM');
  clock.ms = 5_000;
  note('OOM');
  expect(lines).toEqual(['OOM 0', 'OOM 999', 'OOM 1']);
});

test('other trouble is written at once, and however many there are, memory is flat', () => {
  const { lines, note } = recorder();
  for (let id = 0; id < 1_000; id += 1) note(`lost lock of ${id}`);
  expect(lines).toHaveLength(1_000);
});
