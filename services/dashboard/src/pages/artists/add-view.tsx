import type { BulkLine } from '@artist-watch/contracts/api/artist-search';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, Form, LinkButton, TextArea, TextField } from '../../views/form.js';
import { Badge, type IconName, type Tone } from '../../views/icon.js';
import { currentReader } from '../../views/markup.js';
import { Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty, Upgrade } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';
import type { readPlaces, searchByName } from './query.js';

interface AddProps extends Pick<Visit, 'link'> {
  readonly places: Awaited<ReturnType<typeof readPlaces>>;
  readonly name: string;
  readonly found: Awaited<ReturnType<typeof searchByName>>['found'];
  readonly problem: string | undefined;
  readonly text: string;
  readonly error: string | undefined;
  readonly example: string;
}

export function addView(props: AddProps): VNode {
  const { link, places, text, error, example } = props;
  const isFull = places.used >= places.limit;
  const { platformName } = currentReader();
  return (
    <>
      <PageHead title="Add artists" crumbs={[{ label: 'Artists', href: link('/artists') }]} />
      {isFull && (
        <Alert tone="warn" title="You've reached your plan's artist limit">
          <p>To add another artist, stop watching one first.</p>
          <Upgrade label="Upgrade your plan" />
        </Alert>
      )}
      <SearchByName {...props} />
      <Section title="Add many artists">
        <Meter label="Artists watched" value={places.used} max={places.limit} />
        <Form action={link('/artists/add')} button="Add" look="primary">
          <TextArea
            name="artists"
            label="Artists"
            hint={`One per line, up to 500: a name, an artist ID or a ${platformName} link. If a name fits several artists, you can choose one.`}
            placeholder={example}
            rows={12}
            value={text}
            error={error}
            required
          />
        </Form>
      </Section>
    </>
  );
}

function SearchByName({ link, name, found, problem }: AddProps): VNode {
  const { platformName } = currentReader();
  return (
    <Section title="Search by name">
      <Form action={link('/artists/find')} button={`Search ${platformName}`}>
        <TextField
          name="q"
          label="Artist name"
          hint="Each search counts toward your plan's daily limit, as do searches through the API."
          type="search"
          value={name}
          maxLength={100}
          required
        />
      </Form>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      {name !== '' && problem === undefined && found.length === 0 && (
        <Empty title={`No artist found on ${platformName}`} icon="search" />
      )}
      {found.length > 0 && (
        <Table
          caption={`Artists on ${platformName}`}
          rows={found}
          href={({ url }) => url}
          columns={[
            { label: 'Artist', cell: (artist) => <bdi>{artist.name}</bdi> },
            { label: 'Followers', numeric: true, cell: ({ followers = null }) => numberText(followers) },
            {
              label: 'Watch',
              cell: ({ artistId, platformId, name: called }) =>
                artistId === undefined ? (
                  <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
                    Watch <span class="unseen">{called}</span>
                  </ActionButton>
                ) : (
                  <a href={link(`/artists/${artistId}`)}>Already watched</a>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

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
            <LinkButton href={link('/artists/add')} label="Add more" />
            <LinkButton href={link('/artists')} look="primary" label="All artists" />
          </>
        }
      />
      <Alert
        tone={refused === 0 ? 'good' : 'warn'}
        title={[`${added} added`, already > 0 && `${already} already watched`, refused > 0 && `${refused} not added`]
          .filter(Boolean)
          .join(', ')}
      />
      {refused > 0 && <OpenLines {...{ link, results }} />}
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
  const { artist, error, result } = line;
  if (artist) {
    return (
      <a href={link(`/artists/${artist.id}`)}>
        <bdi>{artist.name}</bdi>
      </a>
    );
  }
  return <>{error?.message ?? (result === 'unknown' ? `No artist found on ${currentReader().platformName}.` : '–')}</>;
}

/** Sends all lines that were not added, so that a correction loses none of them. No line needs one at the plan's limit. */
function OpenLines({ link, results }: ResultsProps): VNode | null {
  if (results.every(({ artist, result }) => artist !== null || result === 'limit_reached')) return null;
  const choices = results.filter(({ candidates }) => candidates.length > 0);
  const others = results.filter(({ artist, candidates }) => artist === null && candidates.length === 0);
  return (
    <Section title="Lines that were not added">
      <Form action={link('/artists/add')} button="Add" look="primary">
        {choices.map(({ line, input, candidates }) => (
          <fieldset class="field">
            <legend>
              Which artist is <bdi>{input}</bdi>?
            </legend>
            <div class="checkboxes lines">
              {candidates.map(({ platform_id: platformId, name, followers, platform_url: url }) => (
                <label>
                  <input type="radio" name={`artists-${line}`} value={platformId} />{' '}
                  <a href={url} rel="noreferrer">
                    <bdi>{name}</bdi>
                  </a>
                  {followers !== null && ` ${numberText(followers)} followers`}
                </label>
              ))}
              <label>
                <input type="radio" name={`artists-${line}`} value={input} checked /> Decide later
              </label>
            </div>
          </fieldset>
        ))}
        {others.length > 0 && (
          <TextArea
            name="artists"
            label="Correct or remove these lines"
            value={others.map(({ input }) => input).join('\n')}
          />
        )}
      </Form>
    </Section>
  );
}
