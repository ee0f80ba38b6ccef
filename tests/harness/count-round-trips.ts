import type { ConnectionObserver } from './relay.js';

/**
 * Counts the round trips of all connections through a relay. Everything that a client sends before the server responds
 * belongs to one round trip. What it sends after a response starts another one.
 */
export function countRoundTrips() {
  let count = 0;
  return {
    observe: (): ConnectionObserver => {
      let clientSpoke = false;
      return {
        fromClient() {
          if (!clientSpoke) count += 1;
          clientSpoke = true;
        },
        fromServer() {
          clientSpoke = false;
        },
      };
    },
    /** @returns the number of round trips since the previous call */
    take(): number {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
