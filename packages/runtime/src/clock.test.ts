import { expect, test } from '@jest/globals';
import { sleep } from './clock.js';

test('sleep resolves after its time', async () => {
  await expect(sleep(1)).resolves.toBeUndefined();
});

test('sleep rejects with the reason as soon as its signal is aborted', async () => {
  const stop = new AbortController();
  const pending = sleep(60_000, stop.signal);
  stop.abort(new Error('told to stop'));
  await expect(pending).rejects.toThrow('told to stop');
  await expect(sleep(60_000, stop.signal)).rejects.toThrow('told to stop');
});
