import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { AuditRecord } from '@artist-watch/persistence/account/audit';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Filters, Pager, type Pages } from '../../views/filters.js';
import { Select, TextField } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty, NothingSoFar } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { counted } from '../../views/text.js';

interface AuditProps extends Pick<Visit, 'link'>, Pages {
  readonly events: readonly AuditRecord[];
  readonly filter: { readonly of: string; readonly who: string };
  readonly errors: { readonly of?: string };
}

export const AUDIT_SUBJECTS = {
  '': 'Everything',
  artist: 'Artists',
  change: 'Changes and share links',
  deliver: 'Deliveries',
  destination: 'Channels',
  feed: 'Feeds',
  group: 'Groups',
  api_key: 'API keys',
  member: 'Members and sign-ins',
};

export function auditView({ link, events, filter, errors, first, next }: AuditProps): VNode {
  const isFiltered = Object.values(filter).some((text) => text !== '');
  return (
    <>
      <PageHead title="Audit">
        <p>Who signed in, and who changed what in this account.</p>
      </PageHead>
      <Section title="Events">
        <Filters
          action={link('/audit')}
          typed={filter}
          errors={{ ...errors }}
          search={<TextField name="who" label="Member or item" type="search" value={filter.who} maxLength={200} />}
        >
          <Select name="of" label="Subject" value={filter.of} error={errors.of} options={AUDIT_SUBJECTS} />
        </Filters>
        <Table
          empty={<NoEvents isFirst={first === undefined} goesOn={next !== undefined} isFiltered={isFiltered} />}
          caption="Events"
          isTerse
          rows={events}
          below={({ details }) => detailsText(details)}
          columns={[
            {
              label: 'Event',
              cell: ({ action, subject, details: { artists } }) => (
                <>
                  <span class="soft">{actionText(action, Array.isArray(artists) ? subject.name : undefined)}:</span>{' '}
                  <bdi>{Array.isArray(artists) ? namesText(artists) : subject.name}</bdi>
                </>
              ),
            },
            { label: 'Who', cell: ({ actor }) => <bdi>{actorText(actor)}</bdi> },
            { label: 'When', cell: ({ at }) => <Instant at={at} /> },
          ]}
        />
        <Pager {...{ first, next }} />
      </Section>
    </>
  );
}

function NoEvents({ isFirst, goesOn, isFiltered }: { isFirst: boolean; goesOn: boolean; isFiltered: boolean }): VNode {
  if (goesOn) return <NothingSoFar what="events" />;
  if (!isFirst) return <Empty title="No earlier events" icon="history" />;
  return <Empty title={isFiltered ? 'No events match' : 'No events yet'} icon="history" />;
}

function actorText({ kind, name }: AuditRecord['actor']): string {
  return kind === 'api_key' ? `API key ${name}` : name;
}

const MAX_NAMES = 20;

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

const VERBS: Record<string, string> = {
  'artist.watched': 'Started watching',
  'artist.unwatched': 'Stopped watching',
  'change.handled': 'Marked as handled',
  'change.expected': 'Marked as expected',
  'change.reopened': 'Reopened',
  'change.shared': 'Share link created',
  'change.share_revoked': 'Share link revoked',
};

/** On pages, a destination is called a channel. */
function actionText(action: string, artists = ''): string {
  if (VERBS[action]) return `${VERBS[action]} ${artists}`.trim();
  return changeTitle(action.replaceAll('.', '_').replace(/^destination_/, 'channel_'));
}

function detailText(name: string, value: unknown): string {
  const isCount = /^(?:added|removed)$/.test(name) && typeof value === 'number';
  if (name === 'kind' || name === 'scopes') return changeTitle(String(value));
  if (name === 'role') return `as ${value === 'owner' ? 'an owner' : 'a member'}`;
  if (name === 'note') return value === 'set' ? 'note added' : `note ${value}`;
  return isCount ? `${counted(value, 'artist')} ${name}` : `${name.replaceAll('_', ' ')}: ${String(value)}`;
}

function detailsText(details: Readonly<Record<string, unknown>>): VNode | null {
  const parts = Object.entries(details).flatMap(([name, value]) =>
    Array.isArray(value) ? [] : [detailText(name, value)],
  );
  return parts.length === 0 ? null : (
    <p class="soft">
      <bdi>{parts.join(', ')}</bdi>
    </p>
  );
}
