import type { Blame } from './delivery-state.js';

interface EgressErrorFacts {
  readonly blame: Exclude<Blame, 'internal'>;
  /** A sentence for the customer if the failure counts against the receiver, otherwise for operators. */
  readonly reason: string;
}

/**
 * The tokens of the header `X-Egress-Error`, which services/egress-proxy sends when it refuses a tunnel
 * (docs/reference/egress.md). The reasons do not contain IP addresses, because customers must not learn the addresses
 * of names in a private network.
 */
export const EGRESS_ERRORS = {
  forbidden_address: {
    blame: 'policy',
    reason: 'The host resolves to an IP address that is not allowed for webhooks.',
  },
  forbidden_port: { blame: 'policy', reason: 'The port is not allowed. Use 80, 443, or one from 1024 to 65535.' },
  /** Another rule of the proxy's operator rejected the destination. */
  forbidden_destination: { blame: 'policy', reason: 'A rule of the proxy network does not allow this destination.' },
  name_not_found: { blame: 'receiver', reason: 'The host name does not exist.' },
  /**
   * The name servers failed or did not respond. This counts against the receiver, because otherwise deliveries to a
   * broken zone would be retried forever.
   */
  name_lookup_failed: { blame: 'receiver', reason: 'The host name could not be resolved.' },
  connection_refused: { blame: 'receiver', reason: 'The host refused the connection.' },
  connection_timed_out: { blame: 'receiver', reason: 'The host did not accept the connection in time.' },
  /** Any other failure to connect, such as no route to the host or a reset. */
  connection_failed: { blame: 'receiver', reason: 'The connection to the host failed.' },
  bad_request: { blame: 'egress', reason: 'The proxy did not understand the CONNECT request.' },
  overloaded: { blame: 'egress', reason: 'The proxy has no capacity for another tunnel.' },
  internal: { blame: 'egress', reason: 'The proxy failed.' },
} as const satisfies Record<string, EgressErrorFacts>;

export type EgressError = keyof typeof EGRESS_ERRORS;

export function isEgressError(text: string): text is EgressError {
  return Object.hasOwn(EGRESS_ERRORS, text);
}
