import type { ComponentChildren, VNode } from 'preact';
import type { Tone } from './badge.js';
import { Instant } from './instant.js';

export interface TimelineEntry {
  readonly at: Date;
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly details?: ComponentChildren;
}

interface TimelineProps {
  readonly entries: readonly TimelineEntry[];
  readonly isExact?: boolean;
}

/** What happened, one after the other: observations, attempts, notices. */
export function Timeline({ entries, isExact }: TimelineProps): VNode {
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
