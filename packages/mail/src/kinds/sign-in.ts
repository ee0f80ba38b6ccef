import type { SignInProofs } from '@artist-watch/domain/account/credentials';
import type { SignInRequestId } from '@artist-watch/domain/ids';
import { minuteText } from '@artist-watch/domain/zoned-time';
import { z } from 'zod';
import { type MailKind, mailKind, shown } from '../letter.js';

const requestSchema = z.object({ request: z.string().transform((id) => id as SignInRequestId) });

/**
 * Codes and tokens are derived when an email is sent, and are never stored.
 * @param platformName such as Deezer
 */
export function signInMails(
  proofs: SignInProofs,
  platformName: string,
): Record<'sign_in' | 'fresh_code' | 'invitation' | 'new_device', MailKind> {
  const spaced = (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`;
  return {
    sign_in: mailKind(requestSchema, ({ request }, { link, recipient }) => ({
      subject: `Your code for Artist Watch: ${spaced(proofs.codeOf(request))}`,
      parts: [
        { kind: 'text', text: 'Enter this code where you requested it:' },
        { kind: 'code', text: spaced(proofs.codeOf(request)) },
        { kind: 'text', text: 'Or open this link in the same browser:' },
        { kind: 'action', label: 'Sign in', url: link(`/sign-in/link/${request}/${proofs.tokenOf(request)}`) },
        {
          kind: 'small',
          text: `Someone requested a code to sign in as ${recipient}. The code and the link work once, for 15 minutes. If it wasn't you, ignore this email. No one can sign in without it.`,
        },
      ],
    })),
    fresh_code: mailKind(requestSchema, ({ request }, { recipient }) => ({
      subject: `Your code for Artist Watch: ${spaced(proofs.codeOf(request))}`,
      parts: [
        { kind: 'text', text: "Enter this code where you requested it. You won't need another code for 30 minutes." },
        { kind: 'code', text: spaced(proofs.codeOf(request)) },
        {
          kind: 'small',
          text: `The code was requested in a browser where ${recipient} is signed in. If that wasn't you, sign out all browsers in the settings.`,
        },
      ],
    })),
    invitation: mailKind(
      z.object({ account: z.string(), by: z.string().nullable() }),
      ({ account, by }, { link, recipient }) => ({
        subject: `You're invited to ${account} on Artist Watch`,
        parts: [
          {
            kind: 'text',
            text: `${by ?? 'Artist Watch'} invited ${recipient} to ${account}. Artist Watch monitors artists on ${platformName} and reports changes, such as a removed release or a changed title or ISRC.`,
          },
          { kind: 'action', label: 'Sign in', url: link('/sign-in') },
          {
            kind: 'small',
            text: `Sign in with ${recipient}. You don't need a password. If you didn't expect this invitation, ignore it.`,
          },
        ],
      }),
    ),
    new_device: mailKind(
      z.object({ account: z.string(), device: z.string(), address: z.string(), at: z.coerce.date() }),
      ({ account, device, address, at }, { link, recipient, zone }) => ({
        subject: 'New sign-in to Artist Watch',
        parts: [
          {
            kind: 'text',
            text: `${recipient} signed in with ${shown(device)} from ${shown(address)} on ${minuteText(at, zone)}. It was the first sign-in with this browser from this network.`,
          },
          { kind: 'action', label: 'View signed-in browsers', url: link(`/a/${account}/settings`) },
          {
            kind: 'small',
            text: 'If it was you, do nothing. If not, someone else can read your email. Sign out that browser in the settings, and change the password of your email account.',
          },
        ],
      }),
    ),
  };
}
