import { expect, test } from '@jest/globals';
import { onAbort, untilAborted } from './abort.js';

test('a listener hears of an abort once, at once of an earlier one, and not after it was taken back', () => {
  const heard: unknown[] = [];
  const stop = new AbortController();
  const takeBack = onAbort(stop.signal, () => heard.push('taken back'));
  onAbort(stop.signal, (reason) => heard.push(reason));
  takeBack();
  stop.abort('told to stop');
  onAbort(stop.signal, () => heard.push('at once'));
  expect(heard).toEqual(['told to stop', 'at once']);
});

test('work is waited for until the signal is aborted', async () => {
  const stop = new AbortController();
  await expect(untilAborted(Promise.resolve('done'), stop.signal)).resolves.toBe('done');
  await expect(untilAborted(Promise.reject(new Error('failed')), stop.signal)).rejects.toThrow('failed');
  const pending = untilAborted(new Promise(() => undefined), stop.signal);
  stop.abort(new Error('told to stop'));
  await expect(pending).rejects.toThrow('told to stop');
});
