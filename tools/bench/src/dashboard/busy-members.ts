import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection } from '../load/http-connection.js';
import { ask } from './page-rounds.js';

/** How long a member looks at a page before the next one. */
const LOOK_MS = 5_000;

/**
 * Members who go from page to page, each over a connection of its own, one begun after the other.
 *
 * @param pagesOf the requests of each member, whose pages it opens in turn, each member from another one on.
 * @returns ends them; rejects when a page was not answered 200. The number is that of the pages they opened.
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
  // Whoever stops them hears of it.
  ended.catch(() => undefined);
  return async () => {
    stopping.abort();
    await ended;
    return opened;
  };
}
