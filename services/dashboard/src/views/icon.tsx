import type { VNode } from 'preact';
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
