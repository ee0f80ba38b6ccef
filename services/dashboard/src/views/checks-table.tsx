import { factsOf } from '@artist-watch/domain/change/listed-events';
import { toCheck } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { VNode } from 'preact';
import { Badge, SeverityBadge } from './badge.js';
import { Instant } from './instant.js';
import { currentReader } from './markup.js';
import { type Column, Table } from './table.js';

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
    ...{ artistId, artistName, type, severity, entityName, held: suspicion.held },
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
