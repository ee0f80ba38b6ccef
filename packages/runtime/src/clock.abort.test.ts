import { expect, test } from '@jest/globals';
import { onAbort, untilAborted } from './clock.js';

test('an abort listener is called once, even if it is added after the abort, but never after its removal', () => {
  const calls: unknown[] = [];
  const stop = new AbortController();
  const removeListener = onAbort(stop.signal, () => calls.push('removed'));
  onAbort(stop.signal, (reason) => calls.push(reason));
  removeListener();
  stop.abort('shutdown');
  onAbort(stop.signal, () => calls.push('immediate'));
  expect(calls).toEqual(['shutdown', 'immediate']);
});

test('`untilAborted` settles with the work, or rejects when the signal aborts', async () => {
  const stop = new AbortController();
  await expect(untilAborted(Promise.resolve('done'), stop.signal)).resolves.toBe('done');
  await expect(untilAborted(Promise.reject(new Error('failed')), stop.signal)).rejects.toThrow('failed');
  const pending = untilAborted(new Promise(() => undefined), stop.signal);
  stop.abort(new Error('shutdown'));
  await expect(pending).rejects.toThrow('shutdown');
});
