import type { Scene } from '../stage/scene.js';

/** Lets changes come in steadily for as long as `act` lasts. */
export async function whileTelling({ source }: Scene, act: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const telling = source.keepTelling(5, 500, stop.signal);
  try {
    await Promise.race([act(), telling]);
  } finally {
    stop.abort();
    await telling;
  }
}
