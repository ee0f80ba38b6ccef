import type { Blame } from './delivery-state.js';

interface EgressErrorFacts {
  readonly blame: Exclude<Blame, 'internal'>;
  /** For the customer where it counts against the receiver, for the operator where it does not. */
  readonly reason: string;
}

/**
 * The tokens of `X-Egress-Error`, by which services/egress-proxy says why it opened no tunnel
 * (docs/reference/egress.md). The reasons name no address: what a name resolves to inside a private network is not
 * the customer's to know.
 */
export const EGRESS_ERRORS = {
  forbidden_address: { blame: 'policy', reason: 'The host resolves to an address that webhooks may not be sent to.' },
  forbidden_port: { blame: 'policy', reason: 'The port is not allowed: 80, 443 and 1024 to 65535 are.' },
  /** Refused by a rule of the proxy's operator that is about neither. */
  forbidden_destination: { blame: 'policy', reason: 'The rules of the proxy network do not allow this destination.' },
  name_not_found: { blame: 'receiver', reason: 'The host name does not exist.' },
  /** The name servers failed or were silent. Blamed on the name, or one broken zone would be tried for ever. */
  name_lookup_failed: { blame: 'receiver', reason: 'The host name could not be resolved.' },
  connection_refused: { blame: 'receiver', reason: 'The host refused the connection.' },
  connection_timed_out: { blame: 'receiver', reason: 'The host did not accept the connection in time.' },
  /** Every other way of not getting there: no route, reset while connecting. */
  connection_failed: { blame: 'receiver', reason: 'No connection to the host could be made.' },
  bad_request: { blame: 'egress', reason: 'The proxy did not understand the CONNECT request.' },
  overloaded: { blame: 'egress', reason: 'The proxy takes no further tunnel at present.' },
  internal: { blame: 'egress', reason: 'The proxy failed.' },
} as const satisfies Record<string, EgressErrorFacts>;

export type EgressError = keyof typeof EGRESS_ERRORS;

export function isEgressError(text: string): text is EgressError {
  return Object.hasOwn(EGRESS_ERRORS, text);
}
