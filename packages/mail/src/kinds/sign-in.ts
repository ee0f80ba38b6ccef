import type { SignInProofs } from '@artist-watch/domain/account/sign-in-proofs';
import type { SignInRequestId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import { localMinute, type MailKind, mailKind, shown } from '../mail-kind.js';

const requestSchema = z.object({ request: z.string().transform((id) => id as SignInRequestId) });

/**
 * The mails that let a person in, and that say that somebody came in. Their secrets are derived when they are sent, and
 * stand in no record.
 */
export function signInMails(
  proofs: SignInProofs,
): Record<'sign_in' | 'fresh_code' | 'invitation' | 'new_device', MailKind> {
  const spaced = (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`;
  return {
    sign_in: mailKind(requestSchema, ({ request }, { link, recipient }) => ({
      subject: `Your code for Artist Watch: ${spaced(proofs.codeOf(request))}`,
      parts: [
        { kind: 'text', text: 'Type this code where you asked for it:' },
        { kind: 'code', text: spaced(proofs.codeOf(request)) },
        { kind: 'text', text: 'Or open this link in the same browser:' },
        { kind: 'action', label: 'Sign in', url: link(`/sign-in/link/${request}/${proofs.tokenOf(request)}`) },
        {
          kind: 'small',
          text: `Somebody, hopefully you, asked to sign in as ${recipient}. Both work once, for 15 minutes. If it was not you, do nothing: without this mail nobody gets in.`,
        },
      ],
    })),
    fresh_code: mailKind(requestSchema, ({ request }, { recipient }) => ({
      subject: `Your code for Artist Watch: ${spaced(proofs.codeOf(request))}`,
      parts: [
        { kind: 'text', text: 'Type this code where you asked for it. For 30 minutes you are asked for no other one:' },
        { kind: 'code', text: spaced(proofs.codeOf(request)) },
        {
          kind: 'small',
          text: `It was asked for in a browser where ${recipient} is signed in. If that was not you, sign out all browsers in the settings.`,
        },
      ],
    })),
    invitation: mailKind(
      z.object({ account: z.string(), by: z.string().nullable() }),
      ({ account, by }, { link, recipient }) => ({
        subject: `You have a seat in ${account} on Artist Watch`,
        parts: [
          {
            kind: 'text',
            text: `${by ?? 'Artist Watch'} gave ${recipient} a seat in the account ${account}. It watches artists on a streaming platform and reports what changes: a release that is gone, a title or an ISRC that is another one.`,
          },
          { kind: 'action', label: 'Sign in', url: link('/sign-in') },
          {
            kind: 'small',
            text: `Sign in with ${recipient}; there is no password. If you expected no invitation, ignore it.`,
          },
        ],
      }),
    ),
    new_device: mailKind(
      z.object({ account: z.string(), device: z.string(), address: z.string(), at: z.coerce.date() }),
      ({ account, device, address, at }, { link, recipient, zone }) => ({
        subject: 'A sign-in to Artist Watch with a new device',
        parts: [
          {
            kind: 'text',
            text: `Somebody signed in as ${recipient} with ${shown(device)} from ${shown(address)} at ${localMinute(at, zone)} (${zone}): for the first time with that browser from there.`,
          },
          { kind: 'action', label: 'Show where you are signed in', url: link(`/a/${account}/settings`) },
          {
            kind: 'small',
            text: 'If it was you, do nothing. If not, somebody reads your mails: sign that browser out in the settings, and change the password of your mailbox.',
          },
        ],
      }),
    ),
  };
}
