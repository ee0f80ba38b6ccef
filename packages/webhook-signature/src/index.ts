export { type SignOptions, sign } from './sign.js';
export { type SignatureErrorReason, WebhookSignatureError } from './signature-error.js';
export { TOLERANCE_SECONDS, type VerifiedSignature, type VerifyOptions, verify } from './verify.js';
