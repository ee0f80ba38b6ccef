import type { BulkLine } from '@artist-watch/contracts/api/artist-search';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { Badge, type Tone } from '../../views/badge.js';
import type { IconName } from '../../views/icon.js';
import { currentReader } from '../../views/markup.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';

interface ResultsProps extends Pick<Visit, 'link'> {
  readonly results: readonly BulkLine[];
}

const OUTCOMES: Readonly<Record<BulkLine['result'], { label: string; tone: Tone; icon: IconName }>> = {
  watched: { label: 'added', tone: 'good', icon: 'circle-check' },
  already_watched: { label: 'already watched', tone: 'quiet', icon: 'check' },
  limit_reached: { label: 'not added', tone: 'bad', icon: 'circle-x' },
  ambiguous: { label: 'which one?', tone: 'bad', icon: 'circle-x' },
  unknown: { label: 'not found', tone: 'bad', icon: 'circle-x' },
  invalid: { label: 'not added', tone: 'bad', icon: 'circle-x' },
  not_looked_up: { label: 'not looked up', tone: 'bad', icon: 'circle-x' },
};

export function resultsView({ link, results }: ResultsProps): VNode {
  const count = (wanted: BulkLine['result']) => results.filter(({ result }) => result === wanted).length;
  const [added, already] = [count('watched'), count('already_watched')];
  const refused = results.length - added - already;
  const isRefused = ({ result }: BulkLine) => OUTCOMES[result].tone === 'bad';
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
        title={`${added} added, ${already} already watched, ${refused} not added`}
      />
      <Section title="Line by line">
        <Table
          caption="Lines"
          // Show failed lines first, because there can be hundreds of lines.
          rows={[...results].sort((one, other) => Number(isRefused(other)) - Number(isRefused(one)))}
          isMarked={isRefused}
          columns={[
            { label: 'Line', cell: ({ input }) => <code>{input}</code> },
            {
              label: 'Result',
              cell: ({ result }) => {
                const { label, ...look } = OUTCOMES[result];
                return <Badge {...look}>{label}</Badge>;
              },
            },
            { label: 'Artist', cell: (line) => <Outcome link={link} line={line} /> },
          ]}
        />
      </Section>
    </>
  );
}

function Outcome({ link, line }: Omit<ResultsProps, 'results'> & { readonly line: BulkLine }): VNode {
  const { artist, error, candidates, result } = line;
  if (artist) {
    return (
      <a href={link(`/artists/${artist.id}`)}>
        <bdi>{artist.name}</bdi>
      </a>
    );
  }
  if (candidates.length === 0) {
    return (
      <>{error?.message ?? (result === 'unknown' ? `No artist found on ${currentReader().platformName}.` : '–')}</>
    );
  }
  return (
    <ul class="prose">
      {candidates.map(({ platform_id: platformId, name, followers, platform_url: url }) => (
        <li>
          <a href={url} rel="noreferrer">
            <bdi>{name}</bdi>
          </a>{' '}
          {followers !== null && `${numberText(followers)} followers `}
          <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
            Watch <span class="unseen">{`${name}, ${platformId}`}</span>
          </ActionButton>
        </li>
      ))}
    </ul>
  );
}
