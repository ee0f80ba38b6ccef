import type { VNode } from 'preact';
import { Pager } from '../../views/filters.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';

interface AuditProps {
  readonly link: (path: string) => string;
  readonly events: ReadonlyArray<{
    readonly at: Date;
    readonly actor: { readonly kind: string; readonly name: string };
    readonly action: string;
    readonly subject: { readonly name: string };
    readonly details: Readonly<Record<string, unknown>>;
  }>;
  readonly isFirst: boolean;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

export function auditView({ link, events, isFirst, next }: AuditProps): VNode {
  return (
    <>
      <PageHead title="Audit">
        <p>Who signed in, and who changed what in this account.</p>
      </PageHead>
      <Section title="Events">
        {events.length === 0 ? (
          <Empty title={isFirst ? 'Nothing has been recorded yet' : 'Nothing earlier'} icon="history" />
        ) : (
          <Table
            caption="Events"
            isTerse
            rows={events}
            columns={[
              { label: 'What', cell: (event) => <bdi>{sentenceOf(event)}</bdi> },
              { label: 'Who', cell: ({ actor }) => <bdi>{actorText(actor)}</bdi> },
              { label: 'When', cell: ({ at }) => <Instant at={at} /> },
            ]}
          />
        )}
        <Pager
          first={isFirst ? undefined : link('/audit')}
          next={next === undefined ? undefined : link(`/audit?before=${next}`)}
        />
      </Section>
    </>
  );
}

function actorText({ kind, name }: AuditProps['events'][number]['actor']): string {
  return kind === 'api_key' ? `API key ${name}` : name;
}

/** `member.role_changed` of ann@label.example, role owner. */
function sentenceOf({ action, subject, details }: AuditProps['events'][number]): string {
  const [noun = '', verb = ''] = action.split('.');
  const extras = Object.entries(details).map(([name, value]) => `, ${name.replaceAll('_', ' ')} ${String(value)}`);
  return `${noun.replaceAll('_', ' ')} ${subject.name}: ${verb.replaceAll('_', ' ')}${extras.join('')}`;
}
