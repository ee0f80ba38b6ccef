import { type ListedChange, listEvents } from '@artist-watch/domain/change/change-events';
import type { VNode } from 'preact';
import { BeforeAfter, ShortBeforeAfter, WordDiff } from '../views/change.js';
import { ChangesList } from '../views/changes-list.js';
import { CodeBlock, Copyable } from '../views/copyable.js';
import { DayBars } from '../views/day-bars.js';
import { Filters, Pager } from '../views/filters.js';
import { ActionButton, Checkboxes, Confirmation, Select, TextArea, TextField } from '../views/form.js';
import { SeverityBadge, StateBadge } from '../views/icon.js';
import { Instant, Timeline } from '../views/instant.js';
import { Facts, Meter, PageHead, Section } from '../views/page-head.js';
import { Alert, Empty, PlanTooSmall } from '../views/states.js';
import { Table } from '../views/table.js';

export function gallery(text: string, now: Date): VNode {
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const rows = [
    { id: 'chg_1', severity: 'critical', name: text, at: ago(3), count: 12 },
    { id: 'chg_2', severity: 'warning', name: text, at: ago(190), count: 1_204 },
    { id: 'chg_3', severity: 'info', name: text, at: ago(60 * 24 * 3), count: 3 },
  ] as const;
  return (
    <>
      <PageHead
        title={text}
        crumbs={[{ label: text, href: '/a/x/changes' }]}
        badges={<StateBadge state="off" />}
        actions={
          <>
            <ActionButton action="/a/x/test" look="primary">
              Send a test
            </ActionButton>
            <Confirmation
              label={text}
              unseen={text}
              question={text}
              action="/a/x/delete"
              fields={{ id: text }}
              look="danger"
            >
              Delete it
            </Confirmation>
          </>
        }
      >
        <p>{text}</p>
      </PageHead>
      <Alert tone="bad" title={text}>
        <p>{text}</p>
      </Alert>
      <Alert tone="warn" title={text} />
      <div class="columns">
        <Section title="Facts">
          <Facts
            items={[
              ['Id', <Copyable text={text} />],
              ['Since', <Instant at={ago(75)} />],
              ['Nothing', undefined],
              ['State', <StateBadge state="succeeded" />],
            ]}
          />
          <Meter label="Members" value={20} max={20} />
          <Meter label="Artists" value={3} max={500} />
        </Section>
        <Section title="What happened">
          <Timeline
            entries={[
              { at: ago(45), tone: 'info', title: text, details: text },
              { at: ago(30), tone: 'warn', title: text },
              { at: ago(3), tone: 'bad', title: text, details: <SeverityBadge severity="critical" /> },
            ]}
          />
        </Section>
      </div>
      <Section title="A list" id="list">
        <Filters action="/a/x/changes" typed={{ severity: 'critical' }}>
          <Select name="severity" label="Severity" value="critical" options={{ '': 'Any', critical: 'Critical' }} />
          <TextField name="since" label="Since" type="date" value="2026-11-20" />
        </Filters>
        <Table
          caption="Changes"
          rows={rows}
          href={({ id }) => `/a/x/changes/${id}`}
          isMarked={({ severity }) => severity === 'critical'}
          columns={[
            { label: 'Change', cell: ({ name }) => name },
            { label: 'Severity', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
            { label: 'Tracks', cell: ({ count }) => count.toLocaleString('en-GB'), numeric: true },
            { label: 'Confirmed', cell: ({ at }) => <Instant at={at} /> },
          ]}
        />
        <Pager first="/a/x/changes" next="/a/x/changes?cursor=1" />
      </Section>
      <Section title="Before and after">
        <WordDiff before={`Flowers ${text} of Spring`} after={`Flower ${text} of the Spring`} />
        <BeforeAfter
          before={{ kind: 'credits', value: [{ platformId: null, name: text }] }}
          after={{ kind: 'credits', value: [] }}
        />
        <BeforeAfter
          before={{ kind: 'picture', value: text }}
          after={{ kind: 'picture', value: text }}
          pictures={{ before: { href: '/a/x/changes/y/pictures/before' }, after: { missing: text } }}
        />
        <ChangesList
          label={text}
          link={(path) => `/a/x${path}`}
          events={listEvents<ListedChange>(
            ['track_removed', 'release_removed', 'track_removed', 'isrc_changed', 'isrc_changed'].map(
              (type, index) => ({
                id: `chg_${index}`,
                type,
                severity: 'critical',
                artistId: 'art_1',
                artistName: text,
                confirmedAt: ago(index),
                ...{ before: null, after: null, status: 'open', assignee: null, entityName: text },
                ...{ entityId: `e${index}`, releaseId: type === 'release_removed' ? null : 'e1', releaseName: text },
                entityType: type === 'release_removed' ? 'release' : 'track',
              }),
            ),
          )}
        />
        <ShortBeforeAfter before={{ kind: 'text', value: text }} after={{ kind: 'text', value: 'Flowers' }} />
      </Section>
      <Section title="A chart">
        <DayBars
          title={text}
          bars={[
            { day: '2026-11-19', parts: [['quiet', 3]], label: text },
            { day: '2026-11-20', parts: [['bad', 5]], label: text, href: '/a/x/changes' },
          ]}
        />
      </Section>
      <Section title="A form">
        <form class="form" method="post" action="/a/x/save">
          <TextField name="url" label="Address" type="email" value={text} hint="https only" error={text} required />
          <TextArea name="artists" label="Artists" value={text} hint={text} />
          <Checkboxes name="types" label="Types" values={['b']} options={{ a: text, b: 'Release removed' }} />
          <p>
            <button type="submit" class="primary">
              Save
            </button>
          </p>
        </form>
        <CodeBlock label="answer" code={`HTTP/1.1 500\n${text}`} />
      </Section>
      <Section title="States">
        <Empty title={text}>
          <p>{text}</p>
        </Empty>
        <PlanTooSmall what="Channels" plan="pro" has={({ destinations }) => destinations > 0} />
      </Section>
    </>
  );
}

export function elementsOf(html: string): string[] {
  return (
    [...html.matchAll(/<([a-z][^\s>]*)((?:\s[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)]
      .map(([, name, attributes = '']) => `${name}${attributes.replaceAll(/="[^"]*"/g, '')}`)
      // Ignore `ins` and `del`, because their number depends on the text.
      .filter((element) => !/^(?:ins|del)$/.test(element))
  );
}
