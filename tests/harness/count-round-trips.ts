import type { ConnectionObserver } from './relay.js';

/** Counts round trips through a relay. Everything that a client sends before the server responds is one round trip. */
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
    /** Since the previous call. */
    take(): number {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
