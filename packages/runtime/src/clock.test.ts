import { expect, test } from '@jest/globals';
import { sleep, within } from './clock.js';

test('`sleep` resolves after the given time', async () => {
  await expect(sleep(1)).resolves.toBeUndefined();
});

test('`sleep` rejects with the reason of its signal when the signal aborts', async () => {
  const stop = new AbortController();
  const pending = sleep(60_000, stop.signal);
  stop.abort(new Error('shutdown'));
  await expect(pending).rejects.toThrow('shutdown');
  await expect(sleep(60_000, stop.signal)).rejects.toThrow('shutdown');
});

test('`within` settles with the work, or with the fallback after the given time', async () => {
  const never = new Promise<string>(() => undefined);
  await expect(within(60_000, Promise.resolve('done'), () => 'late')).resolves.toBe('done');
  await expect(within(1, never, () => 'late')).resolves.toBe('late');
  const late = () => {
    throw new Error('late');
  };
  await expect(within(1, never, late)).rejects.toThrow('late');
  await expect(within(60_000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
});
