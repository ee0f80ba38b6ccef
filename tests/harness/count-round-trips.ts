import type { ConnectionObserver } from './relay.js';

/**
 * Counts how often a client spoke and then waited for the server, on all connections of a relay together: what it sends
 * after an answer has come back is a round trip more, what it sends in one go is not.
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
    /** @returns how many since it was last asked. */
    take(): number {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
