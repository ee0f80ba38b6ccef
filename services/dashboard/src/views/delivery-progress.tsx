import type { VNode } from 'preact';
import { StateBadge } from './badge.js';
import { Instant } from './instant.js';

interface Progress {
  readonly state: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
}

/** How far a delivery is, for a cell of a list: its state, how often it was tried, and when it is tried next. */
export function DeliveryProgress({ state, attemptCount, nextAttemptAt }: Progress): VNode {
  const attempts = attemptCount === 1 ? '1 attempt' : `${attemptCount} attempts`;
  return (
    <span class="row">
      <StateBadge state={state} />
      {(attemptCount > 0 || nextAttemptAt) && (
        <span class="soft">
          {attemptCount > 0 && attempts}
          {attemptCount > 0 && nextAttemptAt && ', '}
          {nextAttemptAt && (
            <>
              next <Instant at={nextAttemptAt} />
            </>
          )}
        </span>
      )}
    </span>
  );
}
