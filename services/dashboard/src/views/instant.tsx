import { dateFormats, quarterTexts, releaseDateText } from '@artist-watch/domain/zoned-time';
import type { ComponentChildren, VNode } from 'preact';
import type { Tone } from './icon.js';
import { currentReader } from './markup.js';
import { counted, LOCALE } from './text.js';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const MAX_RELATIVE_SECONDS = 30 * 86_400;

interface InstantProps {
  readonly at: Date;
  readonly isCountdown?: boolean;
  /** Phones have no hover, so evidence always shows the exact time. */
  readonly isExact?: boolean;
  /** Shows a time such as "26 Nov, 20:07". */
  readonly isShort?: boolean;
}

/**
 * Shows a relative time such as "3 hours ago", with the exact time on hover and in print. A script keeps it up to date.
 */
export function Instant({ at, isCountdown, isExact, isShort }: InstantProps): VNode {
  const { now, zone } = currentReader();
  const exact = exactTime(at, zone);
  const iso = at.toISOString();
  if (isShort) return <time {...{ datetime: iso, title: exact }}>{shortTime(at, zone)}</time>;
  if (isExact) return <time datetime={iso}>{exact}</time>;
  return (
    <time datetime={iso} title={exact} data-relative={now !== undefined} data-countdown={isCountdown}>
      {now === undefined ? exact : relativeTime(at, now, zone)}
    </time>
  );
}

const EXACT = quarterTexts(
  dateFormats({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }),
);
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const DATES = dateFormats({ dateStyle: 'medium' });
const DAYS = dateFormats({ day: 'numeric', month: 'short' });

export function exactTime(at: Date, zone: string): string {
  const second = Math.floor(at.getTime() / 1_000) % 900;
  return EXACT(LOCALE, zone, at).replace(/:(\d\d):00/, (_, minute: string) => {
    const minutes = Number(minute) + Math.floor(second / 60);
    return `:${twoDigits(minutes)}:${twoDigits(second % 60)}`;
  });
}

/** Returns a time such as "27 Nov, 20:37". */
export function shortTime(at: Date, zone: string): string {
  return exactTime(at, zone).replace(/^\w+, (\d+ \w+) \d+, (\d\d:\d\d).*$/, '$1, $2');
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

export function dayText(day: Date): string {
  return DAYS(LOCALE, 'UTC').format(day);
}

/** Returns a date such as "12 Sep 2025", or the argument itself if it isn't a complete date. */
export function dateText(date: string | null | undefined): string | null | undefined {
  return date && releaseDateText(date);
}

function relativeTime(at: Date, now: Date, zone: string): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000);
  const size = Math.abs(seconds);
  if (size >= MAX_RELATIVE_SECONDS) return DATES(LOCALE, zone).format(at);
  for (const [unit, length] of UNITS) {
    if (size >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in less than a minute' : 'just now';
}

export function spanText(from: Date, to: Date): string {
  const minutes = Math.max(1, Math.round((to.getTime() - from.getTime()) / 60_000));
  if (minutes < 60) return counted(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  const [first, second] =
    hours < 24
      ? [counted(hours, 'hour'), counted(minutes % 60, 'minute')]
      : [counted(Math.floor(hours / 24), 'day'), counted(hours % 24, 'hour')];
  return second.startsWith('0 ') ? first : `${first} ${second}`;
}

export interface TimelineEntry {
  readonly at: Date;
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly details?: ComponentChildren;
}

export function Timeline({ entries, isExact }: { entries: readonly TimelineEntry[]; isExact?: boolean }): VNode {
  return (
    <ol class="timeline">
      {entries.map(({ at, tone, title, details }) => (
        <li class={tone}>
          <div class="timeline-head">
            <span>{title}</span> <Instant at={at} isExact={isExact ?? false} />
          </div>
          {details && <div class="timeline-details">{details}</div>}
        </li>
      ))}
    </ol>
  );
}
