import type { ApiErrorCode } from '@artist-watch/contracts/api/errors';

/** An answer that says no. The message is for the caller; what the operator should know goes in `cause`. */
export class IngestRefusal extends Error {
  override readonly name = 'IngestRefusal';

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The record cannot be written now, and the same request may be sent again: nothing can be counted twice. */
export class RecordAway extends IngestRefusal {
  constructor(cause: unknown) {
    super('service_unavailable', 'The record cannot be written at the moment; send the same request again.', { cause });
  }
}
