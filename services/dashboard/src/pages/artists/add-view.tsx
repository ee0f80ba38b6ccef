import type { VNode } from 'preact';
import { Badge, type Tone } from '../../views/badge.js';
import { TextArea } from '../../views/form.js';
import type { IconName } from '../../views/icon.js';
import { Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';

interface AddProps {
  readonly link: (path: string) => string;
  readonly places: { readonly used: number; readonly limit: number };
  /** What was pasted. */
  readonly text: string;
  readonly error: string | undefined;
  /** An address of the platform in use. */
  readonly example: string;
}

export function addView({ link, places, text, error, example }: AddProps): VNode {
  const isFull = places.used >= places.limit;
  return (
    <>
      <PageHead title="Add artists" crumbs={[{ label: 'Artists', href: link('/artists') }]} />
      {isFull && (
        <Alert tone="warn" title="All artists of the plan are taken">
          <p>Stop watching an artist first. Lines of artists that are watched already change nothing.</p>
        </Alert>
      )}
      <Section title="Links or ids">
        <Meter label="Artists of the plan" value={places.used} max={places.limit} tone={isFull ? 'warn' : 'info'} />
        <form class="form" method="post" action={link('/artists/add')}>
          <TextArea
            name="artists"
            label="Artists"
            hint="One a line, 500 at most: the address of the artist's page on the platform, or its id there."
            placeholder={example}
            rows={12}
            value={text}
            error={error}
            required
          />
          <p>
            <button type="submit" class="primary">
              Add
            </button>
          </p>
        </form>
      </Section>
    </>
  );
}

interface ResultsProps {
  readonly link: (path: string) => string;
  readonly results: ReadonlyArray<{
    readonly line: string;
    readonly outcome: 'added' | 'watched already' | 'not added';
    readonly artist?: { readonly id: string; readonly name: string };
    readonly reason?: string;
  }>;
}

const OUTCOMES: Readonly<Record<ResultsProps['results'][number]['outcome'], { tone: Tone; icon: IconName }>> = {
  added: { tone: 'good', icon: 'circle-check' },
  'watched already': { tone: 'quiet', icon: 'check' },
  'not added': { tone: 'bad', icon: 'circle-x' },
};

export function resultsView({ link, results }: ResultsProps): VNode {
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const [added, refused] = [count('added'), count('not added')];
  return (
    <>
      <PageHead
        title="Added artists"
        crumbs={[{ label: 'Artists', href: link('/artists') }]}
        actions={
          <>
            <a class="button" href={link('/artists/add')}>
              Add more
            </a>
            <a class="button primary" href={link('/artists')}>
              All artists
            </a>
          </>
        }
      />
      <Alert
        tone={refused === 0 ? 'good' : 'warn'}
        title={`${added} added, ${count('watched already')} watched already, ${refused} not added.`}
      />
      <Section title="Line by line">
        <Table
          caption="Lines"
          rows={results}
          isMarked={({ outcome }) => outcome === 'not added'}
          columns={[
            { label: 'Line', cell: ({ line }) => <code>{line}</code> },
            { label: 'Result', cell: ({ outcome }) => <Badge {...OUTCOMES[outcome]}>{outcome}</Badge> },
            {
              label: 'Artist',
              cell: ({ artist, reason }) =>
                artist ? <a href={link(`/artists/${artist.id}`)}>{artist.name}</a> : (reason ?? '–'),
            },
          ]}
        />
      </Section>
    </>
  );
}
