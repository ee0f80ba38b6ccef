import type { ClientRequest } from 'node:http';

/** RFC 9110 section 15.2 allows any number; those who mean well send one or two. */
const MAX_INFORMATIONAL = 16;

/**
 * What may come before a final answer. Informational answers are each parsed and thrown away, so that a flood of them
 * would cost nothing but all of the processor. Switching protocols (101) is a final answer, to a question nobody asked.
 *
 * @param onSwitch the status line said 101.
 */
export function boundInterimAnswers(sent: ClientRequest, onSwitch: () => void): void {
  let count = 0;
  sent.on('information', () => {
    count += 1;
    if (count > MAX_INFORMATIONAL) sent.destroy(new InformationalFlood());
  });
  sent.once('upgrade', (_answer, socket) => {
    onSwitch();
    socket.destroy();
  });
}

class InformationalFlood extends Error {
  readonly code = 'HPE_INFORMATIONAL_FLOOD';
}
