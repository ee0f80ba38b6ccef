import type { SendResult } from '@artist-watch/domain/attempt-classification';

/** No tunnel to the receiver: says where it went wrong, in the words that classification understands. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  constructor(readonly result: SendResult) {
    super(result.kind);
  }
}

/** The tunnel error in a chain of causes; HTTP clients wrap what their agents throw. */
export function findTunnelError(error: unknown): TunnelError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TunnelError) return cause;
  }
  return undefined;
}

/** Node's code of a system or protocol error, or its name. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
