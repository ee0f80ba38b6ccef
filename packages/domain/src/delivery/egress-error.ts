import type { Blame } from './delivery-state.js';

interface EgressErrorFacts {
  readonly blame: Exclude<Blame, 'internal'>;
  /** Customers see the reason, unless the failure is on our side. */
  readonly reason: string;
}

/**
 * Values of the `X-Egress-Error` header (docs/reference/egress.md). The reasons contain no IP addresses, because
 * customers see them.
 */
export const EGRESS_ERRORS = {
  forbidden_address: {
    blame: 'policy',
    reason: 'The IP address is not allowed for webhooks.',
  },
  forbidden_port: { blame: 'policy', reason: 'The port is not allowed. Use 80, 443, or one from 1024 to 65535.' },
  forbidden_destination: { blame: 'policy', reason: 'A rule of the proxy network does not allow this destination.' },
  name_not_found: {
    blame: 'receiver',
    reason: 'The host name does not exist, or it has an IP address that is not public.',
  },
  /** Counts as the receiver's fault. Otherwise, deliveries to a broken DNS zone would be retried forever. */
  name_lookup_failed: { blame: 'receiver', reason: 'The host name could not be resolved.' },
  connection_refused: { blame: 'receiver', reason: 'The host refused the connection.' },
  connection_timed_out: { blame: 'receiver', reason: 'The host did not accept the connection in time.' },
  connection_failed: { blame: 'receiver', reason: 'The connection to the host failed.' },
  bad_request: { blame: 'egress', reason: 'The proxy did not understand the CONNECT request.' },
  overloaded: { blame: 'egress', reason: 'The proxy has no capacity for another tunnel.' },
  internal: { blame: 'egress', reason: 'The proxy failed.' },
} as const satisfies Record<string, EgressErrorFacts>;

export type EgressError = keyof typeof EGRESS_ERRORS;

export function isEgressError(text: string): text is EgressError {
  return Object.hasOwn(EGRESS_ERRORS, text);
}
