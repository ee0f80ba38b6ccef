import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { checkOf } from '@artist-watch/domain/detection/check';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { VNode } from 'preact';
import { Badge, SeverityBadge } from './badge.js';
import { Instant } from './instant.js';
import { currentReader } from './markup.js';
import { type Column, Table } from './table.js';

interface SuspicionOfArtist {
  readonly artistId: string;
  readonly artistName: string;
  readonly suspicion: Suspicion;
}

export type ShownCheck = ReturnType<typeof shownCheck>;

/** A suspicion as the table shows it. `held`: so much is missing at once that more observations are asked for. */
export function shownCheck({ artistId, artistName, suspicion }: SuspicionOfArtist, confirmation: ConfirmationSettings) {
  const { type, severity, entityName } = suspicion.difference;
  return {
    ...{ artistId, artistName, type, severity, entityName, held: suspicion.held },
    ...checkOf(suspicion, confirmation),
  };
}

const COLUMNS: ReadonlyArray<Column<ShownCheck>> = [
  { label: 'What', cell: ({ type, entityName }) => `${changeTitle(type)}: ${entityName}` },
  {
    label: 'Severity',
    cell: ({ severity, held }) => (
      <span class="row">
        <SeverityBadge severity={severity} />
        {held && (
          <Badge tone="warn" icon="pause">
            held
          </Badge>
        )}
      </span>
    ),
  },
  { label: 'First seen', cell: ({ since }) => <Instant at={since} /> },
  { label: 'Observations', numeric: true, cell: ({ counted, needed }) => `${counted} of ${needed}` },
  { label: 'Certain at the earliest', cell: CertainAt },
];

/** An instant that has passed says nothing: then it takes as many readings as there are observations missing, and one at least. */
function CertainAt({ certainAt, counted, needed }: ShownCheck): VNode {
  const { now } = currentReader();
  if (now === undefined || certainAt > now) return <Instant at={certainAt} />;
  const missing = needed - counted;
  return missing > 1 ? <>after {missing} more readings</> : <>after the next reading</>;
}

interface ChecksTableProps {
  readonly checks: readonly ShownCheck[];
  /** In place of the table, where nothing is being checked. */
  readonly empty?: VNode;
  readonly hrefOfArtist?: (artistId: string) => string;
}

/** What is suspected, and how far it is from being certain. @param hrefOfArtist adds the artist, whom the row leads to. */
export function ChecksTable({ checks, empty, hrefOfArtist }: ChecksTableProps): VNode {
  return (
    <>
      <Table
        caption="Checks under way"
        rows={checks}
        empty={empty}
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
        <p class="soft">Held: so much is missing at once that more observations, over a longer time, are asked for.</p>
      )}
    </>
  );
}
