import type { Scene } from '../stage/scene.js';

/** Lets changes come in steadily for as long as `act` lasts. */
export async function whileReporting({ source }: Scene, act: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const reporting = source.keepReporting(5, 500, stop.signal);
  try {
    await Promise.race([act(), reporting]);
  } finally {
    stop.abort();
    await reporting;
  }
}
