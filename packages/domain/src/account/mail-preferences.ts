import { createHmac } from 'node:crypto';
import type { MemberId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';
import { instantOf, wallTime } from '../zoned-time.js';

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
    isProofOf: (member, list, token) => isSameSecret(token, tokenOf(member, list)),
  };
}

/** What a digest is about: from one morning to another, by the clock of the member's zone. */
export interface DigestPeriod {
  /** The local day of the morning at its end: a member gets one digest for it. `2026-03-29`. */
  readonly day: string;
  readonly since: Date;
  readonly until: Date;
}

/** When the day's work begins. No zone turns its clock at this hour. */
const MORNING_HOUR = 8;
const DAYS: Readonly<Record<Exclude<DigestCadence, 'never'>, number>> = { daily: 1, weekly: 7 };

/**
 * The last period that is over at `now`: of a day, or of a week that ends on a Monday. Across a change to summer time a day
 * has 23 hours and across the one back 25, and each instant is in one period.
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
