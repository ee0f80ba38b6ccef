import type { UnsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import type { SignInProofs } from '@artist-watch/domain/account/sign-in-proofs';
import type { MailKind } from '../mail-kind.js';
import { memberMails } from './member-mails.js';
import { signInMails } from './sign-in.js';

/** Every kind of mail, by the name that a row of the outbox has. */
export function mailKinds(
  proofs: SignInProofs,
  unsubscribes: UnsubscribeProofs,
  /** WEBHOOK_SWITCH_OFF_AFTER */
  switchOffAfter: number,
): Readonly<Record<string, MailKind>> {
  return { ...signInMails(proofs), ...memberMails(unsubscribes, switchOffAfter) };
}
