import { EGRESS_ERRORS, type EgressError } from '@artist-watch/domain/delivery/egress-error';

/** Why no tunnel was opened: the value of `X-Egress-Error`. */
export type Refusal = Exclude<EgressError, 'forbidden_destination'>;

export const REFUSAL_HEADER = 'X-Egress-Error';

const STATUS_BY_REFUSAL: Readonly<Record<Refusal, number>> = {
  bad_request: 400,
  forbidden_address: 403,
  forbidden_port: 403,
  internal: 500,
  name_not_found: 502,
  name_lookup_failed: 502,
  connection_refused: 502,
  connection_failed: 502,
  overloaded: 503,
  connection_timed_out: 504,
};

/**
 * The answer to the client. The same bytes for every request that is refused for the same reason: nothing of the host, of
 * its addresses or of what listens there is in them.
 */
export function answerTo(refusal: Refusal): { readonly status: number; readonly body: string } {
  return { status: STATUS_BY_REFUSAL[refusal], body: `${EGRESS_ERRORS[refusal].reason}\n` };
}
