import { createHmac } from 'node:crypto';
import type { DestinationRules } from '../delivery/destination-rules.js';
import type { MemberId } from '../ids.js';
import { isSameSecret } from '../same-secret.js';
import { instantOf, wallTime } from '../zoned-time.js';

/** The kinds of email that a member can switch off. */
export const MAIL_LISTS = ['critical', 'destinations', 'digest'] as const;
export type MailList = (typeof MAIL_LISTS)[number];

export const DIGEST_CADENCES = ['never', 'daily', 'weekly'] as const;
export type DigestCadence = (typeof DIGEST_CADENCES)[number];

export interface MailPreferences {
  /** True if the member gets immediate emails about the changes that `rules` allow. */
  readonly critical: boolean;
  /** Default: critical changes of all types and artists. */
  readonly rules: DestinationRules;
  /** True if the member gets emails about failing destinations. Only owners get them. */
  readonly destinations: boolean;
  readonly digest: DigestCadence;
  /** The changes in the digest. Default: all changes. */
  readonly digestRules: DestinationRules;
}

export interface UnsubscribeProofs {
  /** Returns a path of the dashboard. A POST to it unsubscribes the member from a list without a sign-in (RFC 8058). */
  pathOf(member: MemberId, list: MailList): string;
  isProofOf(member: MemberId, list: MailList, token: string): boolean;
}

/**
 * Creates and checks the links with which members unsubscribe from emails.
 *
 * @param key ENCRYPTION_KEY. A new key makes the links in earlier emails invalid. The settings page still works.
 */
export function unsubscribeProofs(key: Uint8Array): UnsubscribeProofs {
  const tokenOf = (member: MemberId, list: MailList) =>
    createHmac('sha256', key).update(`artist-watch unsubscribe ${member} ${list}`).digest('base64url');
  return {
    pathOf: (member, list) => `/unsubscribe/${member}/${list}/${tokenOf(member, list)}`,
    isProofOf: (member, list, token) => isSameSecret(token, tokenOf(member, list)),
  };
}

/** The period of a digest, from one morning to another in the member's time zone. */
export interface DigestPeriod {
  /** The local day on which the period ends, such as `2026-03-29`. A member gets at most one digest per day. */
  readonly day: string;
  readonly since: Date;
  readonly until: Date;
}

/** Local hour at which a period ends. No time zone changes its clock at this hour. */
const MORNING_HOUR = 8;
const DAYS: Readonly<Record<Exclude<DigestCadence, 'never'>, number>> = { daily: 1, weekly: 7 };

/**
 * Returns the last complete period before `now`: a day, or a week that ends on a Monday. A day has 23 hours when summer
 * time starts and 25 when it ends. Every instant is in exactly one period.
 *
 * @param zone IANA time zone. @throws {RangeError} if the zone is unknown
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
