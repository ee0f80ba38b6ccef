import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { MemberId } from '../ids.js';

/** What a member may have no mails of. */
export const MAIL_LISTS = ['critical', 'destinations', 'digest'] as const;
export type MailList = (typeof MAIL_LISTS)[number];

export const DIGEST_CADENCES = ['never', 'daily', 'weekly'] as const;
export type DigestCadence = (typeof DIGEST_CADENCES)[number];

export interface MailPreferences {
  /** Critical changes, at once. */
  readonly critical: boolean;
  /** To owners: destinations that fail. */
  readonly destinations: boolean;
  readonly digest: DigestCadence;
}

export interface UnsubscribeProofs {
  /** Below the dashboard's address: one POST there ends the mails of a list, without a sign-in (RFC 8058). */
  pathOf(member: MemberId, list: MailList): string;
  isProofOf(member: MemberId, list: MailList, token: string): boolean;
}

/** @param key ENCRYPTION_KEY; with another one the links of earlier mails are worth nothing, and the settings are. */
export function unsubscribeProofs(key: Uint8Array): UnsubscribeProofs {
  const tokenOf = (member: MemberId, list: MailList) =>
    createHmac('sha256', key).update(`artist-watch unsubscribe ${member} ${list}`).digest('base64url');
  return {
    pathOf: (member, list) => `/unsubscribe/${member}/${list}/${tokenOf(member, list)}`,
    isProofOf: (member, list, token) => timingSafeEqual(digest(token), digest(tokenOf(member, list))),
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
