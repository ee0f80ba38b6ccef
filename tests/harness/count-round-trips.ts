import type { ConnectionObserver } from './relay.js';

/** Everything that a client sends before the server responds is one round trip. */
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
    /** Returns the count since the previous call. */
    take(): number {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
