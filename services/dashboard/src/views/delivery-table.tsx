import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import type { Severity } from '@artist-watch/domain/change/change-types';
import type { Trigger } from '@artist-watch/domain/delivery/delivery-state';
import type { VNode } from 'preact';
import { SeverityBadge, StateBadge } from './badge.js';
import { Instant } from './instant.js';
import { currentReader } from './markup.js';
import { type Column, Table } from './table.js';
import { counted } from './text.js';

interface ListedDelivery
  extends Pick<DeliveryRecord, 'id' | 'trigger' | 'state' | 'attemptCount' | 'nextAttemptAt' | 'createdAt'> {
  readonly to?: string;
  /** Undefined for tests, and for changes that are no longer stored. */
  readonly change: { readonly summary: string; readonly severity: Severity } | undefined;
}

interface DeliveryTableProps {
  readonly caption: string;
  readonly rows: readonly ListedDelivery[];
  readonly link: (path: string) => string;
  /** Shown instead of an empty table. */
  readonly empty?: VNode;
}

export const TRIGGER_WORDS: Readonly<Record<Trigger, string>> = {
  change: 'New change',
  test: 'Test',
  resend: 'Resend',
  recover: 'Missed change',
};

export function titleWithoutChange(trigger: Trigger): string {
  return trigger === 'test' ? 'Test' : 'A change or test that is no longer stored';
}

export function DeliveryTable({ caption, rows, link, empty }: DeliveryTableProps): VNode {
  const to: Column<ListedDelivery> = { label: 'Channel', cell: (delivery) => delivery.to };
  return (
    <Table
      caption={caption}
      isTerse
      {...{ rows, empty }}
      href={({ id }) => link(`/deliveries/${id}`)}
      below={({ change, trigger }) => change && trigger !== 'change' && <p class="soft">{TRIGGER_WORDS[trigger]}</p>}
      isMarked={({ state }) => state === 'failed'}
      columns={[
        { label: 'Change', cell: ({ change, trigger }) => change?.summary ?? titleWithoutChange(trigger) },
        {
          label: 'Severity',
          priority: 2,
          cell: ({ change }) => change && <SeverityBadge severity={change.severity} />,
        },
        ...(rows.some((delivery) => delivery.to !== undefined) ? [to] : []),
        { label: 'State', cell: (delivery) => <DeliveryProgress {...delivery} /> },
        { label: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} /> },
      ]}
    />
  );
}

function DeliveryProgress({ state, attemptCount, nextAttemptAt }: ListedDelivery): VNode {
  return (
    <span class="row">
      <StateBadge state={state} />
      <span class="soft">
        {attemptCount > 1 && `${counted(attemptCount, 'attempt')}${nextAttemptAt ? '. ' : ''}`}
        {nextAttemptAt && <NextAttempt at={nextAttemptAt} />}
      </span>
    </span>
  );
}

/** If this time has passed, the attempt is waiting for a worker. */
export function NextAttempt({ at }: { readonly at: Date }): VNode {
  const { now } = currentReader();
  const isDue = now !== undefined && at <= now;
  return isDue ? (
    <>Waiting to be sent.</>
  ) : (
    <>
      Next attempt <Instant at={at} />.
    </>
  );
}
