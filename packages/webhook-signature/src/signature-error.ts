export type SignatureErrorReason =
  | 'missing_header'
  | 'invalid_header'
  | 'header_too_long'
  | 'missing_timestamp'
  | 'duplicate_timestamp'
  | 'invalid_timestamp'
  | 'missing_signature'
  | 'invalid_signature'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'invalid_body'
  | 'invalid_secret'
  | 'invalid_now'
  | 'invalid_input';

const MESSAGES: Readonly<Record<SignatureErrorReason, string>> = {
  missing_header: 'The request has no X-Service-Signature header.',
  invalid_header: 'The signature header must be one string; a list of values is not accepted.',
  header_too_long: 'The signature header is longer than 8 KiB.',
  missing_timestamp: 'The signature header has no `t` field.',
  duplicate_timestamp: 'The signature header has more than one `t` field.',
  invalid_timestamp: 'The `t` field of the signature header must contain only digits.',
  missing_signature: 'The signature header has no `v1` field.',
  invalid_signature: 'The `v1` field of the signature header must be 64 lower-case hex digits.',
  signature_mismatch: 'No signature in the header matches the body and the secret.',
  timestamp_too_old: 'The request was signed 300 seconds ago or more.',
  timestamp_in_future: 'The request was signed 300 seconds or more in the future.',
  invalid_body: 'The body must be the raw bytes (Uint8Array) or text as received, not a parsed object.',
  invalid_secret: 'The signing secret must be a non-empty string, or a non-empty list of non-empty strings.',
  invalid_now: 'The current time must be a valid Date, or a finite number of Unix seconds.',
  invalid_input: 'The arguments of verify could not be read.',
};

/** `verify` throws only this error. Its message never contains a secret, a signature or a body. */
export class WebhookSignatureError extends Error {
  readonly reason: SignatureErrorReason;

  constructor(reason: SignatureErrorReason) {
    super(MESSAGES[reason]);
    this.name = 'WebhookSignatureError';
    this.reason = reason;
  }
}
