import type { SignInProofs } from '@artist-watch/domain/account/sign-in-proofs';
import type { MailKind } from '../mail-kind.js';
import { signInMails } from './sign-in.js';

/** Every kind of mail, by the name that a row of the outbox has. */
export function mailKinds(proofs: SignInProofs): Readonly<Record<string, MailKind>> {
  return { ...signInMails(proofs) };
}
