import { createHmac } from 'node:crypto';
import type { MemberId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';
import { instantOf, wallTime } from '../zoned-time.js';

/** The kinds of email that a member can switch off. */
export const MAIL_LISTS = ['critical', 'destinations', 'digest'] as const;
export type MailList = (typeof MAIL_LISTS)[number];

export const DIGEST_CADENCES = ['never', 'daily', 'weekly'] as const;
export type DigestCadence = (typeof DIGEST_CADENCES)[number];

export interface MailPreferences {
  /** Immediate emails about critical changes. */
  readonly critical: boolean;
  /** Emails to owners about failing destinations. */
  readonly destinations: boolean;
  readonly digest: DigestCadence;
}

export interface UnsubscribeProofs {
  /** Path of the dashboard where a POST unsubscribes from a list without a sign-in (RFC 8058). */
  pathOf(member: MemberId, list: MailList): string;
  isProofOf(member: MemberId, list: MailList, token: string): boolean;
}

/** @param key ENCRYPTION_KEY. With a new key the links of earlier emails are invalid, but the settings still work. */
export function unsubscribeProofs(key: Uint8Array): UnsubscribeProofs {
  const tokenOf = (member: MemberId, list: MailList) =>
    createHmac('sha256', key).update(`artist-watch unsubscribe ${member} ${list}`).digest('base64url');
  return {
    pathOf: (member, list) => `/unsubscribe/${member}/${list}/${tokenOf(member, list)}`,
    isProofOf: (member, list, token) => isSameSecret(token, tokenOf(member, list)),
  };
}

/** The period of a digest: from one morning to another, in the member's time zone. */
export interface DigestPeriod {
  /** The local day on which the period ends, such as `2026-03-29`. A member gets one digest per day. */
  readonly day: string;
  readonly since: Date;
  readonly until: Date;
}

/** Local hour at which a period ends. No time zone changes its clock at this hour. */
const MORNING_HOUR = 8;
const DAYS: Readonly<Record<Exclude<DigestCadence, 'never'>, number>> = { daily: 1, weekly: 7 };

/**
 * Returns the last complete period at `now`: a day, or a week that ends on a Monday. A day has 23 hours at the change
 * to summer time and 25 at the change back. The periods cover every instant exactly once.
 *
 * @param zone IANA time zone. @throws {RangeError} for an unknown one.
 */
export function digestPeriodAt(now: Date, zone: string, cadence: Exclude<DigestCadence, 'never'>): DigestPeriod {
  const local = wallTime(now, zone);
  if (local.getUTCHours() < MORNING_HOUR) local.setUTCDate(local.getUTCDate() - 1);
  // 0 is Monday.
  if (cadence === 'weekly') local.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7));
  const day = local.toISOString().slice(0, 10);
  return {
    day,
    since: instantOf(day, MORNING_HOUR, zone, -DAYS[cadence]),
    until: instantOf(day, MORNING_HOUR, zone),
  };
}
