import { createHmac } from 'node:crypto';
import type { DestinationRules } from '../delivery/destination-rules.js';
import type { MemberId } from '../ids.js';
import { instantOf, wallTime } from '../zoned-time.js';
import { isSameSecret } from './credentials.js';

export const MAIL_LISTS = ['critical', 'destinations', 'digest'] as const;
export type MailList = (typeof MAIL_LISTS)[number];

export const DIGEST_CADENCES = ['never', 'daily', 'weekly'] as const;
export type DigestCadence = (typeof DIGEST_CADENCES)[number];

export interface MailPreferences {
  readonly critical: boolean;
  /** By default, the member gets emails about all critical changes. */
  readonly rules: DestinationRules;
  readonly destinations: boolean;
  readonly digest: DigestCadence;
  readonly digestRules: DestinationRules;
}

export interface UnsubscribeProofs {
  /** Returns a dashboard path. A POST to it unsubscribes the member without requiring them to sign in (RFC 8058). */
  pathOf(member: MemberId, list: MailList): string;
  isProofOf(member: MemberId, list: MailList, token: string): boolean;
}

/** @param key ENCRYPTION_KEY. Changing it invalidates the links in earlier emails. */
export function unsubscribeProofs(key: Uint8Array): UnsubscribeProofs {
  const tokenOf = (member: MemberId, list: MailList) =>
    createHmac('sha256', key).update(`artist-watch unsubscribe ${member} ${list}`).digest('base64url');
  return {
    pathOf: (member, list) => `/unsubscribe/${member}/${list}/${tokenOf(member, list)}`,
    isProofOf: (member, list, token) => isSameSecret(token, tokenOf(member, list)),
  };
}

export interface DigestPeriod {
  /** The local day on which the period ends, as `YYYY-MM-DD`. */
  readonly day: string;
  readonly since: Date;
  readonly until: Date;
}

/** Clocks never change at this local hour in any time zone. */
const MORNING_HOUR = 8;
const DAYS: Readonly<Record<Exclude<DigestCadence, 'never'>, number>> = { daily: 1, weekly: 7 };

/**
 * Returns the last complete day, or the last week that ended on a Monday.
 * @param zone IANA time zone. @throws {RangeError} if the zone is unknown
 */
export function digestPeriodAt(now: Date, zone: string, cadence: Exclude<DigestCadence, 'never'>): DigestPeriod {
  const local = wallTime(now, zone);
  if (local.getUTCHours() < MORNING_HOUR) local.setUTCDate(local.getUTCDate() - 1);
  if (cadence === 'weekly') local.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7));
  const day = local.toISOString().slice(0, 10);
  return {
    day,
    since: instantOf(day, MORNING_HOUR, zone, -DAYS[cadence]),
    until: instantOf(day, MORNING_HOUR, zone),
  };
}
