import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection } from '../load/http-connection.js';
import { ask } from './page-rounds.js';

const LOOK_MS = 5_000;

/**
 * @returns a function that stops the members and returns how many pages they opened. It rejects if any page didn't
 * return 200.
 */
export async function startBusyMembers(
  port: number,
  pagesOf: ReadonlyArray<readonly Uint8Array[]>,
): Promise<() => Promise<number>> {
  const stopping = new AbortController();
  let opened = 0;
  const members = pagesOf.map(async (pages, index) => {
    const connection = await HttpConnection.open(port);
    const wait = (ms: number) => pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
    try {
      await wait((index * LOOK_MS) / pagesOf.length);
      for (let turn = index; !stopping.signal.aborted; turn += 1) {
        await ask(connection, pages[turn % pages.length] as Uint8Array);
        opened += 1;
        await wait(LOOK_MS);
      }
    } finally {
      connection.close();
    }
  });
  const ended = Promise.all(members);
  ended.catch(() => undefined);
  return async () => {
    stopping.abort();
    await ended;
    return opened;
  };
}
