/** Only failures with the blame `receiver` or `policy` count as attempts. */
export type Blame = CountedBlame | ExcludedBlame;

export type CountedBlame = 'receiver' | 'policy';

export type ExcludedBlame = 'egress' | 'internal';

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

type ReceiverError =
  | 'unexpected_status'
  | 'redirected'
  | 'timed_out'
  | 'connection_reset'
  | 'connection_closed'
  | 'malformed_answer'
  | 'headers_too_large'
  | 'tls_failed'
  | 'tls_refused'
  | 'client_certificate_required'
  | 'http2_required'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_revoked'
  | 'certificate_name_mismatch'
  | 'certificate_self_signed'
  | 'certificate_not_trusted'
  | 'certificate_chain_incomplete'
  | 'certificate_too_weak';

export type ChatError = 'address_revoked' | 'channel_unavailable' | 'posting_forbidden' | 'message_refused';

type CountedEgressError = {
  [Error in EgressError]: (typeof EGRESS_ERRORS)[Error]['blame'] extends CountedBlame ? Error : never;
}[EgressError];

export type AttemptError = ReceiverError | ChatError | CountedEgressError;

const ADVICE: Readonly<Record<AttemptError, string>> = {
  unexpected_status:
    "Check the response and the receiver's log. The receiver must return a 2xx status within 10 seconds. Let it store the change first, and process it later.",
  redirected: 'Use the URL that the redirect points to. We never follow redirects.',
  timed_out: 'Return a 2xx status within 10 seconds, as soon as the change is stored, and process it afterwards.',
  connection_reset:
    'Check the proxy, load balancer or firewall in front of the receiver. It may have closed the connection.',
  connection_closed: "Check the receiver's log for a crash or a limit that ended the request before the response.",
  malformed_answer: 'Check that this port speaks HTTP. The URL may need https instead of http.',
  headers_too_large: 'Return a shorter status line, and send fewer informational (1xx) responses before it.',
  tls_failed: 'Check that this port speaks TLS 1.2 or newer. The URL may need http instead of https.',
  tls_refused:
    'Do not require a client certificate, because we do not send one. Support TLS 1.3, or TLS 1.2 with a common cipher suite such as ECDHE with AES-GCM.',
  client_certificate_required:
    'Do not require a client certificate (mutual TLS), because we do not send one. Verify the signature of the request instead.',
  http2_required: 'Offer HTTP/1.1 too (ALPN "http/1.1"). We do not send webhooks over HTTP/2.',
  certificate_expired: "Renew the receiver's certificate, and check its automatic renewal.",
  certificate_not_yet_valid:
    'Check the clock of the machine that issued the certificate, or wait until the certificate is valid.',
  certificate_revoked: 'Get a new certificate. The authority has revoked this one.',
  certificate_name_mismatch: 'Use a certificate for this host name, or a URL with a name that the certificate covers.',
  certificate_self_signed: "Use a certificate from a public authority, such as Let's Encrypt.",
  certificate_not_trusted: 'Use a certificate from a public authority, and send the full chain.',
  certificate_too_weak:
    'Replace the certificate or intermediate certificate that has a SHA-1 signature or an RSA key shorter than 2,048 bits.',
  certificate_chain_incomplete: 'Send the intermediate certificates too (the full chain).',
  address_revoked: 'Create a new incoming webhook in Slack or Discord, and use its URL.',
  channel_unavailable: 'Create an incoming webhook for another channel, and use its URL.',
  posting_forbidden:
    'An administrator of the Slack workspace or Discord server must allow the incoming webhook to post.',
  message_refused:
    'If the response names a problem with the URL, correct the URL. Otherwise, contact the operator of this service.',
  forbidden_address: 'Use a public host. We never send webhooks to private networks.',
  forbidden_port: 'Use port 80, 443, or one from 1024 to 65535.',
  forbidden_destination:
    'Contact the operator of this service. A rule of the proxy network does not allow this destination.',
  name_not_found: 'Check the spelling of the host name and its DNS record. All its IP addresses must be public.',
  name_lookup_failed: "Check the name servers of the host's domain. They failed or did not respond.",
  connection_refused: 'Check that the receiver is running and listening on this port.',
  connection_timed_out: 'Check that the firewall allows connections from the internet to this port.',
  connection_failed: 'Check that the host is running and reachable from the internet.',
};

export const ATTEMPT_ERRORS = Object.keys(ADVICE) as readonly AttemptError[];

export function isAttemptError(text: string): text is AttemptError {
  return Object.hasOwn(ADVICE, text);
}

/** @returns null for an error that only earlier versions used */
export function adviceOn(error: string): string | null {
  return isAttemptError(error) ? ADVICE[error] : null;
}

export function blameFor(error: AttemptError): CountedBlame {
  const isPolicy = isEgressError(error) && EGRESS_ERRORS[error].blame === 'policy';
  return isPolicy ? 'policy' : 'receiver';
}
