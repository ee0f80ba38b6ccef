import type { ChangeItem } from '@artist-watch/contracts/api/change';
import type { VNode } from 'preact';
import { SeverityBadge } from './badge.js';
import { Instant } from './instant.js';
import { Table } from './table.js';

/** A few changes of one artist, newest first. */
export function ChangesTable({
  changes,
  artistName,
  link,
}: {
  readonly changes: readonly ChangeItem[];
  readonly artistName: string;
  readonly link: (path: string) => string;
}): VNode {
  return (
    <Table
      caption={`Changes of ${artistName}`}
      rows={changes}
      href={({ id }) => link(`/changes/${id}`)}
      isMarked={({ severity }) => severity === 'critical'}
      columns={[
        { label: 'Change', cell: ({ summary }) => summary },
        { label: 'Severity', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
        { label: 'Confirmed', cell: ({ confirmed_at: at }) => <Instant at={new Date(at)} /> },
      ]}
    />
  );
}
