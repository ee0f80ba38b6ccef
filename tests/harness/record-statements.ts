import type { ConnectionObserver } from './relay.js';

/**
 * Records prepared statements by name, and others by text
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
export function recordStatements() {
  let executed: string[] = [];
  return {
    observe: (): ConnectionObserver => {
      let unnamed = '';
      let bound = '';
      const read = messageReader((type, body) => {
        const [first = '', second = ''] = body.toString('utf8').split('\0');
        // Parse has name and text, Bind has portal and name, Execute has a portal, and Query has text.
        if (type === 'P' && first === '') unnamed = second;
        if (type === 'B') bound = second === '' ? unnamed : second;
        if (type === 'E') executed.push(bound);
        if (type === 'Q') executed.push(first);
      });
      return { fromClient: read, fromServer: () => undefined };
    },
    /** Returns the statements since the previous call. */
    take(): string[] {
      const taken = executed;
      executed = [];
      return taken;
    },
  };
}

/** A message has a type, a length and a body. The first message has no type. */
function messageReader(onMessage: (type: string, body: Buffer) => void): (bytes: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  let typeBytes = 0;
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= typeBytes + 4) {
      const end = typeBytes + held.readInt32BE(typeBytes);
      if (held.length < end) return;
      if (typeBytes > 0) onMessage(held.toString('latin1', 0, 1), held.subarray(typeBytes + 4, end));
      held = held.subarray(end);
      typeBytes = 1;
    }
  };
}
