import {
  type SignatureErrorReason,
  type VerifyOptions,
  verify,
  WebhookSignatureError,
} from '@artist-watch/webhook-signature';

/** Why a signature is refused; null when it is good. */
export function refusalOf(options: VerifyOptions): SignatureErrorReason | null {
  try {
    verify(options);
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}
