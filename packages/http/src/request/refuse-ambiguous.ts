import type { IncomingMessage } from 'node:http';
import { ApiError } from '@artist-watch/contracts/api/errors';

/**
 * Refuses a request without Host (RFC 9112 section 3.2; Node would do so by itself, with an empty body), and one that names
 * its host or its caller twice: Node takes the first of several, another server on the way may have taken the last
 * (RFC 9110 section 5.3).
 *
 * @throws ApiError `invalid_input`
 */
export function refuseAmbiguous({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new ApiError('invalid_input', 'A request must have a Host header.');
  }
  const seen = { host: 0, authorization: 0 };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    seen[name] += 1;
    if (seen[name] > 1) throw new ApiError('invalid_input', `The header ${name} must be sent once.`);
  }
}
