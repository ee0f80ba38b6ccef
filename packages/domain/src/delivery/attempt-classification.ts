import type { CountedBlame, ExcludedBlame } from './attempt-errors.js';
import { type AttemptError, EGRESS_ERRORS, isAttemptError } from './attempt-errors.js';
import { type ReasonSource, translateProxyReason } from './proxy-dialects.js';

/** The HTTP sender reports a result, and `classifyAttempt` interprets it. */
export type SendResult =
  /** `retryAfter` is the unchanged `Retry-After` header. */
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter?: string | undefined }
  | { readonly kind: 'timed_out'; readonly phase: SendPhase }
  | { readonly kind: 'connection_failed'; readonly failure: ConnectionFailure }
  /** `code` is a Node error code or a message from OpenSSL. */
  | { readonly kind: 'tls_failed'; readonly code: string }
  /** `reason` is the value of the header identified by `reasonSource`. */
  | {
      readonly kind: 'proxy_answered_connect';
      readonly status: number;
      /** False if the destination URL's host is an IP address. */
      readonly isNamed: boolean;
      readonly reason?: string | undefined;
      readonly reasonSource?: ReasonSource | undefined;
    }
  | { readonly kind: 'proxy_unreachable'; readonly code: string }
  /** The proxy could not resolve several other host names either. */
  | { readonly kind: 'proxy_cannot_resolve' }
  | { readonly kind: 'proxy_silent' }
  /** The proxy closed the connection, or its response is not HTTP. */
  | { readonly kind: 'proxy_broke_connect' }
  /** The proxy died while a request was in flight. */
  | { readonly kind: 'proxy_lost' }
  /** The proxy stalled, so it may have missed the receiver's response. */
  | { readonly kind: 'proxy_stalled' }
  | { readonly kind: 'proxy_tls_failed'; readonly code: string }
  /** The worker stalled, so it may have missed the response. */
  | { readonly kind: 'worker_stalled' }
  /** `message` is for operators. */
  | { readonly kind: 'internal_error'; readonly message: string };

export type SendPhase = 'tls' | 'request' | 'response';

export type ConnectionFailure = 'refused' | 'reset' | 'closed' | 'malformed_answer' | 'headers_too_large';

/** `error` is machine-readable, and `reason` is a human-readable sentence. */
export type AttemptVerdict = AttemptMade | NotAnAttempt;

export type AttemptMade =
  | { readonly kind: 'succeeded'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly blame: CountedBlame;
      readonly error: AttemptError;
      readonly reason: string;
      /** Absent if no status line arrived. */
      readonly status?: number;
    };

/** A failure on our side. It does not count as an attempt, and the job is retried. */
export interface NotAnAttempt {
  readonly kind: 'not_an_attempt';
  readonly blame: ExcludedBlame;
  readonly error: string;
  /** For the operator. */
  readonly reason: string;
}

/**
 * See docs/api/webhooks.md.
 * @param timeoutMs WEBHOOK_TIMEOUT
 */
export function classifyAttempt(result: SendResult, timeoutMs = 10_000): AttemptVerdict {
  switch (result.kind) {
    case 'answered':
      return answered(result.status);
    case 'timed_out':
      return receiverFailed('timed_out', `${TIMED_OUT[result.phase]} within ${timeoutMs / 1_000} seconds.`);
    case 'connection_failed':
      return receiverFailed(...CONNECTION_FAILED[result.failure]);
    case 'tls_failed':
      return receiverFailed(...tlsFailure(result.code));
    case 'proxy_answered_connect':
      return proxyAnswered(result);
    case 'proxy_unreachable':
      return egressFailed('proxy_unreachable', `The egress proxy cannot be reached (${result.code}).`);
    case 'proxy_cannot_resolve':
      return egressFailed(
        'proxy_cannot_resolve',
        'The egress proxy cannot resolve any host names, because its name servers do not respond.',
      );
    case 'proxy_silent':
      return egressFailed('proxy_silent', 'The egress proxy did not respond to CONNECT before the deadline.');
    case 'proxy_broke_connect':
      return egressFailed(
        'proxy_broke_connect',
        'The egress proxy closed the connection instead of responding to CONNECT.',
      );
    case 'proxy_lost':
      return egressFailed('proxy_lost', 'The egress proxy failed while the request was in flight.');
    case 'proxy_stalled':
      return egressFailed('proxy_stalled', 'The egress proxy stalled while it opened the tunnel.');
    case 'proxy_tls_failed':
      return egressFailed('proxy_tls_failed', `The TLS handshake with the egress proxy failed (${result.code}).`);
    case 'worker_stalled':
      return notAnAttempt('internal', 'worker_stalled', 'The worker stalled while the request was in flight.');
    case 'internal_error':
      return notAnAttempt('internal', 'internal_error', result.message);
  }
}

const TIMED_OUT: Readonly<Record<SendPhase, string>> = {
  tls: 'The TLS handshake with the receiver did not finish',
  request: 'The receiver did not accept the whole request',
  response: 'The receiver did not respond',
};

const CONNECTION_FAILED: Readonly<Record<ConnectionFailure, readonly [error: AttemptError, reason: string]>> = {
  refused: ['connection_refused', 'The receiver refused the connection.'],
  reset: ['connection_reset', 'The receiver reset the connection before it responded.'],
  closed: ['connection_closed', 'The receiver closed the connection before it responded.'],
  malformed_answer: ['malformed_answer', 'The receiver sent something that is not HTTP.'],
  headers_too_large: ['headers_too_large', 'The response has no complete status line in its first 16 KiB.'],
};

const CERTIFICATE_FAILURES: Readonly<Record<string, readonly [error: AttemptError, reason: string]>> = {
  CERT_HAS_EXPIRED: ['certificate_expired', "The receiver's certificate has expired."],
  CERT_NOT_YET_VALID: ['certificate_not_yet_valid', "The receiver's certificate is not valid yet."],
  CERT_REVOKED: ['certificate_revoked', "The receiver's certificate has been revoked."],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate_name_mismatch', "The receiver's certificate is for another host name."],
  HOSTNAME_MISMATCH: ['certificate_name_mismatch', "The receiver's certificate is for another host name."],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['certificate_self_signed', "The receiver's certificate is self-signed."],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'certificate_not_trusted',
    "The receiver's certificate was issued by an authority that is not trusted.",
  ],
  UNABLE_TO_GET_ISSUER_CERT: ['certificate_chain_incomplete', "The receiver's certificate chain is incomplete."],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'certificate_not_trusted',
    "The receiver's certificate was issued by an authority that is not trusted, or its chain is incomplete.",
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'certificate_chain_incomplete',
    "The receiver's certificate chain is incomplete, because an intermediate certificate is missing.",
  ],
};

/** `ALERT` means that the receiver sent a TLS alert (RFC 8446, section 6.2). */
const TLS_FAILURES: readonly (readonly [code: RegExp, error: AttemptError, reason: string])[] = [
  // We send no client certificate, so an alert about a certificate means that the receiver requires one. Go
  // servers send BAD_CERTIFICATE for this under TLS 1.2.
  [
    /ALERT_(?:CERTIFICATE_REQUIRED|NO_CERTIFICATE|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNKNOWN_CA)$/,
    'client_certificate_required',
    'The receiver requires a client certificate',
  ],
  [/ALERT_NO_APPLICATION_PROTOCOL$/, 'http2_required', 'The receiver does not accept HTTP/1.1'],
  // Under TLS 1.2, these alerts can also mean a missing client certificate (RFC 5246, section 7.4.6).
  [
    /ALERT_(?:HANDSHAKE_FAILURE|ACCESS_DENIED|INSUFFICIENT_SECURITY)$/,
    'tls_refused',
    'The receiver refused the TLS handshake',
  ],
  // Node reports some errors only as OpenSSL's error text.
  [
    /(?:digest algorithm|certificate key) too weak$/,
    'certificate_too_weak',
    "A certificate in the receiver's chain is too weak",
  ],
];

/** RFC 9110, section 15.4 */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function answered(status: number): AttemptVerdict {
  if (status >= 200 && status <= 299) return { kind: 'succeeded', status };
  const [error, reason]: readonly [AttemptError, string] = REDIRECTS.has(status)
    ? ['redirected', `The receiver responded with ${status}. We do not follow redirects.`]
    : ['unexpected_status', `The receiver reported an error (status ${status}).`];
  return { kind: 'failed', blame: 'receiver', error, reason, status };
}

function tlsFailure(code: string): readonly [error: AttemptError, reason: string] {
  if (Object.hasOwn(CERTIFICATE_FAILURES, code) && CERTIFICATE_FAILURES[code]) return CERTIFICATE_FAILURES[code];
  const [, error, reason] = TLS_FAILURES.find(([pattern]) => pattern.test(code)) ?? [];
  if (error && reason) return [error, `${reason} (${code}).`];
  return ['tls_failed', `The TLS handshake with the receiver failed (${code}).`];
}

function proxyAnswered(answer: Extract<SendResult, { kind: 'proxy_answered_connect' }>): AttemptVerdict {
  const { status, reason, reasonSource } = answer;
  if (status >= 200 && status <= 299) {
    return egressFailed(
      'proxy_confused',
      `The egress proxy responded to CONNECT with ${status}, which does not open a tunnel.`,
    );
  }
  const error =
    reason === undefined || reasonSource === undefined ? null : translateProxyReason(reasonSource, reason, status);
  if (error === null) {
    const said = reason === undefined ? 'gave no reason' : `gave an unknown reason: ${clip(reason)}`;
    return egressFailed('proxy_refused', `The egress proxy responded to CONNECT with ${status} and ${said}.`);
  }
  // The customer must not learn which internal names exist.
  if (error === 'forbidden_address' && answer.isNamed)
    return receiverFailed('name_not_found', EGRESS_ERRORS.name_not_found.reason);
  const facts = EGRESS_ERRORS[error];
  return facts.blame === 'egress' || !isAttemptError(error)
    ? egressFailed(`proxy_${error}`, facts.reason)
    : { kind: 'failed', blame: facts.blame, error, reason: facts.reason };
}

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function receiverFailed(error: AttemptError, reason: string): AttemptMade {
  return { kind: 'failed', blame: 'receiver', error, reason };
}

function egressFailed(error: string, reason: string): NotAnAttempt {
  return notAnAttempt('egress', error, reason);
}

function notAnAttempt(blame: ExcludedBlame, error: string, reason: string): NotAnAttempt {
  return { kind: 'not_an_attempt', blame, error, reason };
}
