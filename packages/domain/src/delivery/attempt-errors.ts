import type { CountedBlame } from './delivery-state.js';
import { EGRESS_ERRORS, type EgressError, isEgressError } from './egress-error.js';

/** What went wrong once there was a tunnel: always the receiver's to fix. */
type ReceiverError =
  | 'unexpected_status'
  | 'redirected'
  | 'timed_out'
  | 'connection_reset'
  | 'connection_closed'
  | 'malformed_answer'
  | 'headers_too_large'
  | 'tls_failed'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_revoked'
  | 'certificate_name_mismatch'
  | 'certificate_self_signed'
  | 'certificate_not_trusted'
  | 'certificate_chain_incomplete';

/** What a chat platform says of a channel (channel/chat-answer.ts). */
export type ChatError = 'address_revoked' | 'channel_unavailable' | 'posting_forbidden' | 'message_refused';

/** Why there was no tunnel, where that is not our own fault. */
type CountedEgressError = {
  [Error in EgressError]: (typeof EGRESS_ERRORS)[Error]['blame'] extends CountedBlame ? Error : never;
}[EgressError];

/** The token of a failed attempt, for programs. */
export type AttemptError = ReceiverError | ChatError | CountedEgressError;

/** For each token one sentence: what the customer does about it. A token without one does not compile. */
const ADVICE: Readonly<Record<AttemptError, string>> = {
  unexpected_status:
    "Read the answer and the receiver's log: it must answer any 2xx status within 10 seconds, as soon as the change is stored.",
  redirected: 'Set the destination to the address that the redirect leads to; redirects are never followed.',
  timed_out: 'Answer 2xx as soon as the change is stored, and process it afterwards: the receiver has 10 seconds.',
  connection_reset: 'Check the proxy, load balancer or firewall in front of the receiver: it ended the connection.',
  connection_closed: "Check the receiver's log for a crash or a limit that ended the request before it was answered.",
  malformed_answer: 'Check that this port speaks HTTP; the address may need https in place of http.',
  headers_too_large: 'Let the receiver answer with fewer or shorter headers: 16 KiB in all.',
  tls_failed: 'Check that this port speaks TLS 1.2 or newer; the address may need http in place of https.',
  certificate_expired: "Renew the receiver's certificate, and check that its automatic renewal works.",
  certificate_not_yet_valid: 'Check the clock of the machine that issued the certificate, or wait until it is valid.',
  certificate_revoked: 'Get a new certificate: its authority has revoked this one.',
  certificate_name_mismatch:
    'Use a certificate for this host name, or set the destination to a name that the certificate has.',
  certificate_self_signed: "Use a certificate of a public authority, such as Let's Encrypt.",
  certificate_not_trusted: 'Use a certificate of a public authority, and let the receiver send the whole chain.',
  certificate_chain_incomplete: 'Let the receiver send its intermediate certificates too (the full chain).',
  address_revoked: 'Make a new incoming webhook on the chat platform, and set the destination to its address.',
  channel_unavailable: 'Make an incoming webhook for another channel, and set the destination to its address.',
  posting_forbidden: 'Ask an administrator of the chat workspace or server to allow the incoming webhook to post.',
  message_refused: 'Compare the answer with the address; if it goes on, report it to those who run this service.',
  forbidden_address: 'Set the destination to a public address: webhooks never go to private networks.',
  forbidden_port: 'Let the receiver listen on port 80, 443 or 1024 to 65535, and set the destination to it.',
  forbidden_destination:
    'Ask those who run this service to allow the destination: a rule of their proxy network refuses it.',
  name_not_found: 'Check the spelling of the host name, and that its DNS record exists.',
  name_lookup_failed: "Check the name servers of the host's domain: they failed or did not answer.",
  connection_refused: 'Check that the receiver runs and listens on this port.',
  connection_timed_out: 'Check that the firewall lets connections from the internet reach this port.',
  connection_failed: 'Check that the host is up and can be reached from the internet.',
};

export const ATTEMPT_ERRORS = Object.keys(ADVICE) as readonly AttemptError[];

export function isAttemptError(text: string): text is AttemptError {
  return Object.hasOwn(ADVICE, text);
}

/** What to do about a failed attempt. @returns null for a token of an earlier version. */
export function adviceOn(error: string): string | null {
  return isAttemptError(error) ? ADVICE[error] : null;
}

export function blameFor(error: AttemptError): CountedBlame {
  const isPolicy = isEgressError(error) && EGRESS_ERRORS[error].blame === 'policy';
  return isPolicy ? 'policy' : 'receiver';
}
