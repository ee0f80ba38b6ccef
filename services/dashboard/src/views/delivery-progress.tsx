import type { VNode } from 'preact';
import { StateBadge } from './badge.js';
import { Instant } from './instant.js';
import { currentReader } from './reader.js';
import { counted } from './text.js';

interface Progress {
  readonly state: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
}

/** One whose time has passed waits for its turn. */
export function NextAttempt({ at }: { readonly at: Date }): VNode {
  const { now } = currentReader();
  return now !== undefined && at <= now ? (
    <>next one due</>
  ) : (
    <>
      next <Instant at={at} />
    </>
  );
}

/** How far a delivery is, for a cell of a list: its state, how often it was tried, and when it is tried next. */
export function DeliveryProgress({ state, attemptCount, nextAttemptAt }: Progress): VNode {
  const attempts = counted(attemptCount, 'attempt');
  return (
    <span class="row">
      <StateBadge state={state} />
      {(attemptCount > 0 || nextAttemptAt) && (
        <span class="soft">
          {attemptCount > 0 && attempts}
          {attemptCount > 0 && nextAttemptAt && ', '}
          {nextAttemptAt && <NextAttempt at={nextAttemptAt} />}
        </span>
      )}
    </span>
  );
}
