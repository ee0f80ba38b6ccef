import type { Severity } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ComponentChildren, VNode } from 'preact';
import { currentReader } from './markup.js';

/** Names from https://lucide.dev/icons. Browsers load a single file that contains only these icons. */
export const ICONS = [
  'activity',
  'bell-off',
  'chart-column',
  'check',
  'chevron-right',
  'circle-alert',
  'circle-check',
  'circle-dashed',
  'circle-dot',
  'circle-minus',
  'circle-x',
  'clock',
  'copy',
  'disc-3',
  'external-link',
  'filter',
  'history',
  'house',
  'info',
  'key-round',
  'lock',
  'menu',
  'mic-vocal',
  'minus',
  'pause',
  'plus',
  'printer',
  'rss',
  'search',
  'send',
  'settings',
  'share-2',
  'triangle-alert',
  'users',
  'webhook',
  'wrench',
  'x',
] as const;

export type IconName = (typeof ICONS)[number];

export function Icon({ name }: { readonly name: IconName }): VNode {
  const { icons } = currentReader();
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${icons}#${name}`} />
    </svg>
  );
}

/** `bad`: needs action. `warn`: may need action. `info`: in progress. `quiet`: has ended or is off. */
export type Tone = 'bad' | 'warn' | 'info' | 'good' | 'quiet';

/** The text must be clear even without the color, for people who cannot see colors. */
export function Badge({ tone, icon, children }: { tone: Tone; icon?: IconName; children: ComponentChildren }): VNode {
  return (
    <span class={`badge ${tone}`}>
      {icon && <Icon name={icon} />}
      {icon ? <span>{children}</span> : children}
    </span>
  );
}

const SEVERITY: Readonly<Record<Severity, { readonly tone: Tone; readonly icon: IconName }>> = {
  critical: { tone: 'bad', icon: 'circle-alert' },
  warning: { tone: 'warn', icon: 'triangle-alert' },
  info: { tone: 'quiet', icon: 'info' },
};

export function SeverityBadge({ severity }: { readonly severity: Severity }): VNode {
  return <Badge {...SEVERITY[severity]}>{severity}</Badge>;
}

export function SeverityIcon({ severity }: { readonly severity: Severity }): VNode {
  const { tone, icon } = SEVERITY[severity];
  return (
    <span class={`severity ${tone}`}>
      <Icon name={icon} />
      <span class="unseen">{severity}: </span>
    </span>
  );
}

export function GroupTag({ name, color }: { readonly name: string; readonly color: string }): VNode {
  return (
    <span class={`tag ${color}`} dir="auto">
      {name}
    </span>
  );
}

const STATES: Readonly<Record<string, { readonly tone: Tone; readonly icon: IconName; readonly word?: string }>> = {
  active: { tone: 'good', icon: 'circle-check' },
  failing: { tone: 'warn', icon: 'triangle-alert' },
  succeeded: { tone: 'good', icon: 'circle-check', word: 'delivered' },
  confirmed: { tone: 'good', icon: 'circle-check' },
  sent: { tone: 'good', icon: 'circle-check' },
  refused: { tone: 'bad', icon: 'circle-x' },
  discarded: { tone: 'quiet', icon: 'minus' },
  pending: { tone: 'info', icon: 'circle-dashed' },
  suspected: { tone: 'info', icon: 'circle-dashed', word: 'being verified' },
  invited: { tone: 'info', icon: 'clock' },
  stale: { tone: 'warn', icon: 'clock', word: 'overdue' },
  merged: { tone: 'warn', icon: 'triangle-alert' },
  not_found: { tone: 'warn', icon: 'circle-x', word: 'not found' },
  failed: { tone: 'bad', icon: 'circle-x' },
  off: { tone: 'bad', icon: 'bell-off', word: 'switched off' },
  disabled: { tone: 'quiet', icon: 'bell-off' },
  paused: { tone: 'quiet', icon: 'pause' },
  skipped: { tone: 'quiet', icon: 'minus', word: 'missed' },
  dismissed: { tone: 'quiet', icon: 'minus' },
  open: { tone: 'quiet', icon: 'circle-dot' },
  handled: { tone: 'quiet', icon: 'circle-check' },
  expected: { tone: 'quiet', icon: 'circle-minus' },
};

/** @param isPlain leaves out the icon, to keep lists of 100 rows small */
export function StateBadge({ state, isPlain }: { readonly state: string; readonly isPlain?: boolean }): VNode {
  const { tone, icon, word = state } = STATES[state] ?? { tone: 'quiet' as const, icon: 'minus' as const };
  return (
    <Badge tone={tone} {...(!isPlain && { icon })}>
      {isPlain ? changeTitle(word) : word}
    </Badge>
  );
}
