import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { factsOf } from '@artist-watch/domain/change/change-events';
import type { Severity } from '@artist-watch/domain/change/change-types';
import type { Trigger } from '@artist-watch/domain/delivery/delivery-state';
import { toCheck } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ComponentChildren, VNode } from 'preact';
import { Badge, SeverityBadge, StateBadge } from './icon.js';
import { Instant } from './instant.js';
import { currentReader } from './markup.js';
import { counted } from './text.js';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Right-aligned. */
  readonly numeric?: boolean;
  readonly isAction?: boolean;
  /** Narrow screens hide columns with priority 3 first, then those with priority 2. Phones show all columns. */
  readonly priority?: 2 | 3;
}

interface TableProps<Row> {
  /** Read only by screen readers. */
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  /** Shown instead of an empty table. */
  readonly empty?: VNode | undefined;
  /** The keys `j` and `k` move between these links. */
  readonly href?: (row: Row) => string | undefined;
  /** Shown below the link in the first cell. */
  readonly below?: (row: Row) => ComponentChildren;
  /** On phones, all cells after the first share one line, without labels. */
  readonly isTerse?: boolean;
  readonly isMarked?: (row: Row) => boolean;
}

export function Table<Row>({ caption, columns, rows, empty, href, below, isTerse, isMarked }: TableProps<Row>): VNode {
  if (empty && rows.length === 0) return empty;
  return (
    <div class="table-frame">
      <table class={isTerse ? 'terse' : undefined}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.isAction ? <span class="unseen">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr class={isMarked?.(row) ? 'marked' : undefined}>
              {columns.map((column, index) => (
                <td data-label={column.label} class={classOf(column)}>
                  {index === 0 ? <FirstCell href={href?.(row)}>{column.cell(row)}</FirstCell> : column.cell(row)}
                  {index === 0 && below?.(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ numeric, isAction, priority }: Column<Row>): string | undefined {
  return [numeric && 'numeric', isAction && 'acts', priority && `p${priority}`].filter(Boolean).join(' ') || undefined;
}

function FirstCell({ href, children }: { href: string | undefined; children: ComponentChildren }): VNode {
  if (href === undefined) return <>{children}</>;
  return (
    <a class="row-link" href={href}>
      {children}
    </a>
  );
}

interface ListedDelivery
  extends Pick<DeliveryRecord, 'id' | 'trigger' | 'state' | 'attemptCount' | 'nextAttemptAt' | 'createdAt'> {
  readonly to?: string;
  /** Undefined for tests, and for changes that are no longer stored. */
  readonly change: { readonly summary: string; readonly severity: Severity } | undefined;
}

interface DeliveryTableProps extends Pick<TableProps<ListedDelivery>, 'caption' | 'rows' | 'empty'> {
  readonly link: (path: string) => string;
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

export function DeliveryTable({ link, ...table }: DeliveryTableProps): VNode {
  const to: Column<ListedDelivery> = { label: 'Channel', cell: (delivery) => delivery.to };
  return (
    <Table
      {...table}
      isTerse
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
        ...(table.rows.some((delivery) => delivery.to !== undefined) ? [to] : []),
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

export type ShownCheck = ReturnType<typeof shownCheck>;

/**
 * `held`: too many entities are missing at the same time, so more observations than usual are needed to confirm the
 * change.
 */
export function shownCheck(
  { artistId, artistName, suspicion }: Record<'artistId' | 'artistName', string> & { readonly suspicion: Suspicion },
  confirmation: ConfirmationSettings,
) {
  const { type, severity, entityName } = suspicion.difference;
  return {
    artistId,
    artistName,
    type,
    severity,
    entityName,
    held: suspicion.held,
    ...toCheck(suspicion, confirmation),
  };
}

const COLUMNS: ReadonlyArray<Column<ShownCheck>> = [
  {
    label: 'Change',
    cell: ({ type, entityName }) => (
      <>
        <bdi>{entityName}</bdi> <span class="soft">{factsOf([type])}</span>
      </>
    ),
  },
  {
    label: 'Severity',
    cell: ({ severity, held }) => (
      <span class="row">
        <SeverityBadge severity={severity} />
        {held && (
          <Badge tone="warn" icon="pause">
            on hold
          </Badge>
        )}
      </span>
    ),
  },
  { label: 'First noticed', priority: 2, cell: ({ since }) => <Instant at={since} /> },
  { label: 'Checks', numeric: true, cell: ({ counted, needed }) => `${counted} of ${needed}` },
  { label: 'Earliest confirmation', cell: CertainAt },
];

function CertainAt({ certainAt, counted, needed }: ShownCheck): VNode {
  const { now } = currentReader();
  if (now === undefined || certainAt > now) return <Instant at={certainAt} />;
  const missing = needed - counted;
  return missing > 1 ? <>after {missing} more checks</> : <>after the next check</>;
}

interface ChecksTableProps {
  readonly checks: readonly ShownCheck[];
  readonly hrefOfArtist?: (artistId: string) => string;
}

export function ChecksTable({ checks, hrefOfArtist }: ChecksTableProps): VNode {
  return (
    <>
      <Table
        caption="Changes being verified"
        rows={checks}
        columns={COLUMNS}
        isMarked={({ severity }) => severity === 'critical'}
        {...(hrefOfArtist && {
          href: ({ artistId }: ShownCheck) => hrefOfArtist(artistId),
          below: ({ artistName }: ShownCheck) => (
            <p class="soft">
              <bdi>{artistName}</bdi>
            </p>
          ),
        })}
      />
      {checks.some(({ held }) => held) && (
        <p class="soft">On hold: too much is missing at once, so we wait for more checks over a longer time.</p>
      )}
    </>
  );
}
